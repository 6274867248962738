"""What a launcher does with its driver, decided from what has happened. No processes in here."""

from __future__ import annotations

from enum import Enum

from streambed.analytics.lease import Lease

# What a driver may take to finish the batches it is in the middle of.
PATIENCE_S = 30.0


class Action(Enum):
    NOTHING = "leave it alone"
    ASK_TO_END = "ask it to finish its batches and end"
    KILL = "kill it at once"
    CLEAN_UP = "it has ended; clean up after it"


class Supervision:
    def __init__(self, lease: Lease, *, patience_s: float = PATIENCE_S) -> None:
        self._lease = lease
        self._patience_s = patience_s
        self._kill_at: float | None = None

    def decide(self, now: float, *, ended: bool, stop_wanted: bool) -> tuple[Action, str]:
        """What to do now, and why. A lock that may be another's comes before all patience."""
        if ended:
            return Action.CLEAN_UP, "it has ended"
        if complaint := self._lease.complaint(now):
            return Action.KILL, complaint
        if not stop_wanted:
            return Action.NOTHING, "the lock is ours and the driver runs"
        if self._kill_at is None:
            self._kill_at = now + self._patience_s
            return Action.ASK_TO_END, "this launcher is asked to stop"
        if now >= self._kill_at:
            return Action.KILL, f"the driver has not ended within {self._patience_s:.0f} s"
        return Action.NOTHING, "the driver finishes its batches"
