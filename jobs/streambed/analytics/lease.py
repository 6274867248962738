"""How long the lock is certainly this host's. No ZooKeeper in here: times and answers come in.

A client that is cut off from the ensemble is not told that its session has ended; it can only know
until when it cannot have. An answer from a quorum proves that the session lived when the question
was asked, and the ensemble lets it live for the session's timeout from then, less what the leader
may not have heard yet.
"""

from __future__ import annotations

import threading

# Followers tell the leader of their sessions twice a tick, so it may know an older sign of life by
# half a second; the rest is for noticing and killing.
MARGIN_S = 1.0
MARGIN_SHARE = 0.2


class Lease:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ends_at: float | None = None
        self.lost: str | None = None  # why, once it is

    def confirm(self, *, asked_at: float, session_s: float) -> None:
        """A quorum has answered a question of that time, and the lock was ours."""
        ends_at = asked_at + session_s - max(MARGIN_S, MARGIN_SHARE * session_s)
        with self._lock:
            self._ends_at = max(ends_at, self._ends_at or ends_at)

    def lose(self, why: str) -> None:
        """Nothing brings it back: whoever lost it begins anew, with a session of its own."""
        with self._lock:
            self.lost = self.lost or why

    def held(self, now: float) -> bool:
        return self.complaint(now) is None

    def complaint(self, now: float) -> str | None:
        """Why the lock may be another's, if it may."""
        with self._lock:
            if self.lost:
                return self.lost
            if self._ends_at is None:
                return "nobody has confirmed that the lock is ours"
            if now >= self._ends_at:
                return "ZooKeeper has not answered for so long that the session may have ended"
            return None
