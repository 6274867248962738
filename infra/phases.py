"""What a long command tells while it works: its phases, how far each is, and their seconds."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


class Phase:
    """One phase under way. On a terminal progress replaces itself; elsewhere it is a line now
    and then, so that a log stays readable."""

    QUIET_SECONDS = 5.0

    def __init__(self, name: str):
        self.name = name
        self.result = "done"
        self._told = time.monotonic()
        self._terminal = sys.stdout.isatty()

    def progress(self, text: str) -> None:
        now = time.monotonic()
        if self._terminal:
            print(f"\r\033[K  {text[:100]}", end="", flush=True)
        elif now - self._told >= self.QUIET_SECONDS:
            print(f"  … {text}", flush=True)
            self._told = now

    def note(self, text: str) -> None:
        """A line that stays."""
        self._close()
        print(f"  {text}", flush=True)

    def _close(self) -> None:
        if self._terminal:
            print("\r\033[K", end="")


class Phases:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str, what: str) -> Iterator[Phase]:
        print(f"{name}: {what}", flush=True)
        phase, began = Phase(name), time.monotonic()
        try:
            yield phase
        finally:
            self.seconds[name] = time.monotonic() - began
            phase._close()
        print(f"  {phase.result} ({self.seconds[name]:.1f} s)", flush=True)

    def total(self) -> str:
        """From when make was called, so that what it set up before counts as well."""
        began = float(os.environ.get("BEGAN") or time.time() - sum(self.seconds.values()))
        parts = ", ".join(f"{name} {seconds:.1f}" for name, seconds in self.seconds.items())
        return f"Total {time.time() - began:.1f} s ({parts})."
