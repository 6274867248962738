"""One line a task: what it is, how long it took, and on how many hosts it changed something."""

from __future__ import annotations

import time

from ansible import constants as C
from ansible.plugins.callback.default import CallbackModule as Default

DOCUMENTATION = """
name: terse
type: stdout
short_description: One line a task, with its seconds
description: Failures and unreachable hosts are told as the default callback tells them.
extends_documentation_fragment: [default_callback, result_format_callback]
author: Streambed
"""


class CallbackModule(Default):
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "terse"

    def __init__(self):
        super().__init__()
        self._play = self._name = ""
        self._changed: dict[str, bool] = {}
        self._began = time.monotonic()

    def v2_playbook_on_play_start(self, play):
        self._finish_task()
        self._play = play.get_name()

    def v2_playbook_on_task_start(self, task, is_conditional):
        self._finish_task()
        if self._play:  # a play without hosts has no tasks, and is not worth a line
            self._display.display(f"PLAY [{self._play}]")
            self._play = ""
        self._name, self._changed, self._began = task.get_name(), {}, time.monotonic()

    def v2_runner_on_start(self, host, task):
        pass

    def v2_runner_on_ok(self, result):
        self._changed[result.host.get_name()] = result.is_changed()
        if self._display.verbosity:
            super().v2_runner_on_ok(result)

    def v2_runner_on_skipped(self, result):
        pass

    def v2_playbook_on_include(self, included_file):
        pass

    def v2_playbook_on_no_hosts_matched(self):
        pass

    def v2_playbook_on_stats(self, stats):
        self._finish_task()
        super().v2_playbook_on_stats(stats)

    def _finish_task(self):
        if self._changed:
            seconds = time.monotonic() - self._began
            hosts = ", ".join(sorted(name for name, changed in self._changed.items() if changed))
            self._display.display(
                f"TASK [{self._name}] {seconds:.1f} s{': changed ' if hosts else ''}{hosts}",
                color=C.COLOR_CHANGED if hosts else C.COLOR_OK,
            )
        self._changed = {}
