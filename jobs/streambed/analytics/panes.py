"""What the groups of a job say of its windows, put together: every pane with its full value.

Of closed windows groups tell differences, so what these windows hold is remembered here, by the
driver, for as long as they may be refined. A driver that has just started is told it by the groups.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import NamedTuple

from streambed.analytics.windows import HELD, LATE, ON_TIME, Pane, Row


class Said(NamedTuple):
    kinds: dict[int, str]  # of the windows that speak, by their ends
    rows: list[tuple]  # of each window its end, a row, and how many vehicles gave it


class Panes:
    """`part` is the place, in rows, of what results are told apart by: of a refined window only
    those are said again whose rows changed. Without it all of the window is."""

    def __init__(self, *, lateness_ms: int, part: int | None = None) -> None:
        self._lateness_ms = lateness_ms
        self._part = part
        self._held: dict[int, Counter[Row]] = {}

    def put_together(self, told: Iterable[dict[Pane, Counter[Row]]], watermark_ms: int) -> Said:
        """What windows say in a batch. The watermark is the one after it."""
        panes: dict[Pane, Counter[Row]] = {}
        for group in told:
            for pane, rows in group.items():
                panes.setdefault(pane, Counter()).update(rows)
        said = Said({}, [])
        # What windows held comes before what changed in them.
        for pane, rows in sorted(panes.items(), key=lambda item: item[0].kind != HELD):
            end_ms, kind = pane
            if kind in (HELD, ON_TIME):
                self._held[end_ms] = rows
            if kind != HELD:
                speaks: Mapping[Row, int] = self._refine(end_ms, rows) if kind == LATE else rows
                said.kinds[end_ms] = kind
                said.rows.extend((end_ms, *row, count) for row, count in speaks.items())
        for end in [end for end in self._held if end + self._lateness_ms <= watermark_ms]:
            del self._held[end]
        return said

    def _refine(self, end_ms: int, differences: Counter[Row]) -> dict[Row, int]:
        """The rows of a window that are to be said again."""
        held = self._held.setdefault(end_ms, Counter())
        held.update(differences)
        there = {row: count for row, count in held.items() if count}
        if self._part is None:
            return there
        part = itemgetter(self._part)
        changed = {part(row) for row in differences}
        # Where nothing is left, a reader has to hear it: there the rows that are gone count zero.
        gone = changed - {part(row) for row in there}
        again = {row: count for row, count in there.items() if part(row) in changed}
        return again | {row: 0 for row in held if part(row) in gone}
