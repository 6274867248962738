"""Run a playbook on a stage and tell what it changed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from infra.context import REPO
from infra.stage import folder

_RECAP = re.compile(
    r"^(?P<host>\S+)\s+: ok=(?P<ok>\d+)\s+changed=(?P<changed>\d+)\s+"
    r"unreachable=(?P<unreachable>\d+)\s+failed=(?P<failed>\d+)"
)
_TASK = re.compile(r"^(?:TASK|RUNNING HANDLER|PLAY) \[(.+?)\]")


class PlaybookError(Exception):
    """A playbook stopped; the message holds what it printed last and where the rest is."""


@dataclass
class Outcome:
    changed: dict[str, int] = field(default_factory=dict)

    @property
    def changes(self) -> int:
        return sum(self.changed.values())

    def summary(self) -> str:
        touched = sum(count > 0 for count in self.changed.values())
        return f"{len(self.changed)} hosts, {self.changes} tasks changed on {touched} of them"


def run(
    name: str, *, stage: str, log: Path, progress: Callable[[str], None], options: tuple = ()
) -> Outcome:
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [
        *(sys.executable, "-m", "ansible", "playbook"),
        *("-i", str(folder() / f"{stage}.yml")),
        *options,
        str(REPO / "playbooks" / f"{name}.yml"),
    ]
    outcome = Outcome()
    with log.open("w") as copy:
        process = subprocess.Popen(
            command,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdout
        for line in process.stdout:
            copy.write(line)
            copy.flush()
            if task := _TASK.match(line):
                progress(task[1])
            elif recap := _RECAP.match(line):
                outcome.changed[recap["host"]] = int(recap["changed"])
    if process.wait() != 0:
        raise PlaybookError(f"{_failure(log.read_text())}\nThe whole output is in {log}.")
    return outcome


def environment() -> dict[str, str]:
    """Ansible's settings that depend on where things are installed."""
    return os.environ | {
        "ANSIBLE_CONFIG": str(REPO / "playbooks" / "ansible.cfg"),
        "ANSIBLE_NOCOLOR": "1",
        "PYTHONPATH": str(REPO),
        # Ansible refuses to start where the locale is not UTF-8, as in a bare container.
        "LC_ALL": "C.UTF-8",
    }


def _failure(output: str) -> str:
    lines = output.splitlines()
    first = next((i for i, line in enumerate(lines) if "[ERROR]" in line or "fatal:" in line), None)
    recap = next((i for i, line in enumerate(lines) if line.startswith("PLAY RECAP")), len(lines))
    return "\n".join(lines[first:recap][:40] if first is not None else lines[-15:])
