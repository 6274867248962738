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
        self._task = None
        self._hosts: dict[str, str] = {}
        self._began = self._run_began = time.monotonic()

    def v2_playbook_on_play_start(self, play):
        self._finish_task()
        self._display.display(f"{play.get_name()}")

    def v2_playbook_on_task_start(self, task, is_conditional):
        self._finish_task()
        self._task, self._hosts, self._began = task, {}, time.monotonic()

    v2_playbook_on_handler_task_start = v2_playbook_on_cleanup_task_start = lambda self, task: (
        self.v2_playbook_on_task_start(task, False)
    )

    def v2_runner_on_start(self, host, task):
        pass

    def v2_runner_on_ok(self, result):
        changed = result.is_changed()
        self._hosts[result.host.get_name()] = "changed" if changed else "ok"
        if changed and self._display.verbosity:
            super().v2_runner_on_ok(result)

    def v2_runner_on_skipped(self, result):
        pass

    def v2_runner_on_failed(self, result, ignore_errors=False):
        if not ignore_errors:
            super().v2_runner_on_failed(result, ignore_errors)

    def v2_playbook_on_include(self, included_file):
        pass

    def v2_playbook_on_no_hosts_matched(self):
        pass

    def v2_playbook_on_stats(self, stats):
        self._finish_task()
        totals = {
            name: sum(getattr(stats, name).values())
            for name in ("ok", "changed", "failures", "dark")
        }
        seconds = time.monotonic() - self._run_began
        self._display.display(
            f"{len(stats.processed)} hosts, {totals['ok']} tasks ok, {totals['changed']} changed, "
            f"{totals['failures'] + totals['dark']} failed in {seconds:.1f} s",
            color=C.COLOR_ERROR if totals["failures"] + totals["dark"] else C.COLOR_OK,
        )

    def _finish_task(self):
        if self._task is None or not self._hosts:
            return
        changed = sorted(name for name, state in self._hosts.items() if state == "changed")
        note = f"changed on {', '.join(changed)}" if changed else ""
        seconds = time.monotonic() - self._began
        self._display.display(
            f"  {seconds:5.1f} s  {self._task.get_name()}{': ' if note else ''}{note}",
            color=C.COLOR_CHANGED if changed else C.COLOR_OK,
        )
        self._task = None
