"""One operation on a stage at a time, and no helper process that outlives it.

An operation holds the stage's lock and works in a control group of its own. If it is killed, the
lock falls free but its children (an engine, a playbook) may go on: the next operation ends them
before it begins, so that never two of them work on one stage.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra import context
from infra.lab import cgroups
from infra.lab.names import Lab


class Busy(Exception):
    """Somebody else is working on the stage."""


@contextmanager
def on_stage(state: Path, command: str) -> Iterator[None]:
    state.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (state / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            holder = lock.read().strip() or "another command"
            raise Busy(
                f"{holder} is at work on this stage: wait until it is done, or end it and run "
                f"`make {command}` again."
            ) from None
        lock.truncate(0)
        lock.write(f"`make {command}` (process {os.getpid()})")
        lock.flush()
        (state / "clone").write_text(str(context.REPO))
        with cgroups.visit(f"streambed-operation-{Lab(state).tag}"):
            yield
