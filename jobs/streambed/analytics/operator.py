"""The one stateful operator: hands each group of vehicles its records of a batch and its state.

Vehicles are divided into a fixed number of groups, and a group is one key of Spark's state. A key
for each vehicle would call Python a thousand times where one call does, and everything a vehicle
needs changes with every second anyway.
"""

import pickle
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streambed.analytics.decode import FUTURE, TICK
from streambed.analytics.ordered import Ordered
from streambed.analytics.windows import Record, Tick, Windows

if TYPE_CHECKING:
    import pandas as pd

STATE_DDL = "state binary"

# What comes out: panes or rows of the job, late records, and one line of counts from each group.
PANE, LATE, COUNTS = "pane", "late", "counts"
OUTCOME_DDL = (
    "kind string, end_ms bigint, pane string, n bigint,"
    " topic string, partition int, offset bigint, wire string, value binary, event_ms bigint,"
    " watermark_ms bigint, records bigint, undecodable bigint, vehicles bigint, newest_ms bigint"
)
OUTCOME = [column.split()[0] for column in OUTCOME_DDL.split(", ")]
# Stands for null among whole numbers: pandas would make floats of them all, too short for a cell.
NOTHING = -(1 << 63) + 1

_REFERENCE = ("topic", "partition", "offset", "wire", "value")


@dataclass(frozen=True)
class Operator:
    """`values` are the columns that make a record's value, `rows` those of what comes out."""

    state: Windows | Ordered
    values: tuple[str, ...]
    rows: tuple[str, ...]

    def __call__(
        self, key: tuple, frames: Iterator["pd.DataFrame"], stored: Any
    ) -> Iterator["pd.DataFrame"]:
        import pandas as pd

        records, future, tick, counts = self._read(frames)
        group = pickle.loads(stored.get[0]) if stored.exists else self._new_group()
        watermark_ms = max(0, stored.getCurrentWatermarkMs())
        said = self.state.step(group, records, tick, watermark_ms)
        stored.update((pickle.dumps(group, pickle.HIGHEST_PROTOCOL),))

        late = [(record, watermark_ms) for record in said.late] + [(one, None) for one in future]
        outcome = {
            COUNTS: [self._line(COUNTS, **counts, vehicles=len(group.vehicles))],
            LATE: [self._late(record, ms) for record, ms in late],
            PANE: list(self._rows(said)),
        }
        names = [*OUTCOME, *self.rows]
        lines = [line for part in outcome.values() for line in part]
        yield pd.DataFrame(lines, columns=names, dtype=object)

    def _new_group(self) -> Any:
        from streambed.analytics import ordered, windows

        return windows.Group() if isinstance(self.state, Windows) else ordered.Group()

    def _read(self, frames: Iterable["pd.DataFrame"]) -> tuple[list, list, Tick, dict[str, int]]:
        records, future = [], []
        newest_ms, spoken, counted, undecodable = 0, set(), 0, 0
        for frame in frames:
            references = list(zip(*(frame[name].tolist() for name in _REFERENCE)))
            values = list(zip(*(_column(frame, name) for name in self.values)))
            columns = (frame[name].tolist() for name in ("what", "id", "event_ms"))
            for place, (what, vehicle, event_ms) in enumerate(zip(*columns)):
                if what == TICK:
                    row = frame.iloc[place]
                    newest_ms = max(newest_ms, event_ms)
                    spoken.update(row["spoken_ms"])
                    counted += int(row["records"])
                    undecodable += int(row["undecodable"])
                    continue
                record = Record(vehicle, event_ms, values[place], references[place])
                (future if what == FUTURE else records).append(record)
        counts = {"records": counted, "undecodable": undecodable, "newest_ms": newest_ms}
        return records, future, Tick(newest_ms, frozenset(map(int, spoken))), counts

    def _rows(self, said: Any) -> Iterator[tuple]:
        if isinstance(self.state, Windows):
            for pane in said.panes:
                line = self._line(PANE, end_ms=pane.end_ms, pane=pane.kind, n=pane.count)
                yield (*line[: len(OUTCOME)], *pane.row)
        else:
            for row in said.rows:
                yield (*self._line(PANE, n=1)[: len(OUTCOME)], *row)

    def _late(self, record: Record, watermark_ms: int | None) -> tuple:
        reference = dict(zip(_REFERENCE, record.reference))
        return self._line(LATE, event_ms=record.event_ms, watermark_ms=watermark_ms, **reference)

    def _line(self, kind: str, **columns: Any) -> tuple:
        return (
            kind,
            *(columns.get(name) for name in OUTCOME[1:]),
            *(None for _ in self.rows),
        )


def _column(frame: "pd.DataFrame", name: str) -> list:
    """A column as Python's own values, nothing as None."""
    column = frame[name]
    if column.dtype.kind == "f":
        return [None if value != value else value for value in column.tolist()]
    if column.dtype.kind == "i":
        return [None if value == NOTHING else value for value in column.tolist()]
    return column.tolist()
