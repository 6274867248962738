"""The processes of a driver: Spark's JVM and the Python that it starts, in a session of their own.

Killing means all of them, and is over only when none is left. The kernel kills the JVM when its
launcher is gone, however that happened; Python asks the same of the JVM (see drive.py).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True)
class _Process:
    pid: int
    command: list[str]


class DriverProcess:
    def __init__(self, command: Sequence[str], *, main: str) -> None:
        """`main` is the file that Python runs: it tells the driver from Spark's other helpers."""
        self._main = main
        # From the main thread, as the kernel means the thread when it speaks of a parent.
        self._leader = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *command],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )

    def ended(self) -> bool:
        """Whether the JVM has ended. It is not reaped yet, so that nobody gets its number."""
        options = os.WEXITED | os.WNOWAIT | os.WNOHANG
        return os.waitid(os.P_PID, self._leader.pid, options) is not None

    def ask_to_end(self) -> None:
        """Only Python is asked: a JVM that is told to end does so in the middle of a batch."""
        drivers = [process for process in self._processes() if self._is_python(process)]
        for process in drivers:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)
        if not drivers:  # it has not come so far as to have a batch
            os.killpg(self._leader.pid, signal.SIGTERM)

    def kill(self) -> int:
        """Kill whatever is left, wait until nothing is, and return how the JVM ended."""
        os.killpg(self._leader.pid, signal.SIGKILL)
        # Spark's Python workers make groups of their own, but do not leave the session.
        while remaining := list(self._processes()):
            for process in remaining:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)
            time.sleep(0.01)
        return self._leader.wait()

    def _is_python(self, process: _Process) -> bool:
        return process.pid != self._leader.pid and self._main in process.command[1:2]

    def _processes(self) -> Iterator[_Process]:
        """Every process of the session that has not ended."""
        for folder in _PROC.glob("[0-9]*"):
            try:
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
                command = (folder / "cmdline").read_bytes().decode(errors="replace")
            except OSError:  # it has ended meanwhile
                continue
            state, session = stat[0], int(stat[3])
            if session == self._leader.pid and state not in "ZX":
                yield _Process(int(folder.name), command.split("\0"))
