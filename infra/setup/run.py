"""Run the programs that set-up work is made of: unattended, logged, and stoppable.

Standard library only: this runs before the virtual environment exists.
"""

import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from infra.setup.errors import SetupError, Stopped

_running: set[subprocess.Popen] = set()
_guard = threading.Lock()
_stopping = threading.Event()


def run(
    command: Sequence[str | Path],
    *,
    log: Path,
    what: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    keep_open: Sequence[int] = (),
    stoppable: bool = True,
) -> None:
    """Run `command` with its output appended to `log`; `what` names the work if it fails.

    The command gets no standard input, so nothing can wait for an answer, and dies with the
    thread that started it, so that a killed builder leaves no one writing behind its back.
    One that changes the machine itself is not `stoppable`: it comes to its end, whatever happens.
    """
    words = [str(word) for word in command]
    leash = ["setpriv", "--pdeathsig", "KILL"] if stoppable else []
    with log.open("ab") as output:
        output.write(f"$ {shlex.join(words)}\n".encode())
        output.flush()
        with _guard:
            if _stopping.is_set():
                raise Stopped(f"{what} was stopped because another part failed.")
            process = subprocess.Popen(
                [*leash, *words],
                cwd=cwd,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=0o022,  # service users read what root builds
                pass_fds=keep_open,
            )
            if stoppable:
                _running.add(process)
        try:
            status = process.wait()
        except BaseException:
            _kill(process) if stoppable else process.wait()
            raise
        finally:
            with _guard:
                _running.discard(process)
    if _stopping.is_set() and status:
        raise Stopped(f"{what} was stopped because another part failed.")
    if status:
        raise SetupError(
            f"{what} failed: `{shlex.join(words[:3])}` ended with status {status}; its last words"
            f" are in {log}; run the same command again when the cause is gone,"
            " what is already finished is kept."
        )


def stop_all() -> None:
    """Stop every running command and refuse new ones, until `allow_all` is called."""
    with _guard:
        _stopping.set()
        for process in _running:
            _kill(process)


def allow_all() -> None:
    """Take back `stop_all`."""
    _stopping.clear()


def _kill(process: subprocess.Popen) -> None:
    with suppress(ProcessLookupError):  # it may have ended by itself
        os.killpg(process.pid, signal.SIGKILL)
