"""The one stateful operator: hands each group of vehicles its records of a batch and its state.

Vehicles are divided into a fixed number of groups, and a group is one key of Spark's state. A key
for each vehicle would call Python a thousand times where one call does, and everything a vehicle
needs changes with every second anyway.
"""

import pickle
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import repeat
from typing import TYPE_CHECKING, Any

from streambed.analytics.decode import FUTURE, TICK, Counts, Origin
from streambed.analytics.ordered import Ordered
from streambed.analytics.windows import Pane, Record, Row, Windows

if TYPE_CHECKING:
    import pandas as pd

STATE_DDL = "state binary"
OUTCOME_DDL = "outcome binary"


@dataclass
class Outcome:
    """What a group says of a batch, to the driver. It travels as one value: rows of tables would be
    taken apart and put together again three times on the way."""

    records: int
    undecodable: int
    vehicles: int
    watermark_ms: int  # after the batch
    panes: dict[Pane, Counter[Row]] = field(default_factory=dict)
    rows: list[tuple] = field(default_factory=list)  # of a machine
    late: list[dict[str, Any]] = field(default_factory=list)


# Stands for null among whole numbers: pandas would make floats of them all, too short for a cell.
NOTHING = -(1 << 63) + 1


@dataclass(frozen=True)
class Operator:
    """`values` are the columns that make a record's value. The `listener` is the driver, by a name
    of its own for each time that it starts."""

    state: Windows | Ordered
    values: tuple[str, ...]
    listener: str

    def __call__(
        self, key: tuple, frames: Iterator["pd.DataFrame"], stored: Any
    ) -> Iterator["pd.DataFrame"]:
        import pandas as pd

        records, future, newest_ms, records_read, undecodable = self._read(frames)
        group = pickle.loads(stored.get[0]) if stored.exists else self._new_group()
        watermark_ms = max(0, stored.getCurrentWatermarkMs())
        outcome = Outcome(records_read, undecodable, 0, watermark_ms)
        if isinstance(self.state, Windows):
            spoken = self.state.step(group, records, newest_ms, watermark_ms, self.listener)
            outcome.panes, late = spoken
            outcome.watermark_ms = self.state.watermark_after(newest_ms, watermark_ms)
        else:
            outcome.rows, late = self.state.step(group, records, newest_ms, watermark_ms)
        outcome.vehicles = len(group.vehicles)
        outcome.late = [
            *(_set_aside(record, watermark_ms) for record in late),
            *(_set_aside(record, None) for record in future),
        ]
        stored.update((_packed(group),))
        yield pd.DataFrame({"outcome": [_packed(outcome)]})

    def _new_group(self) -> Any:
        from streambed.analytics import ordered, windows

        return windows.Group() if isinstance(self.state, Windows) else ordered.Group()

    def _read(self, frames: Iterable["pd.DataFrame"]) -> tuple[list, list, int, int, int]:
        records, future = [], []
        newest_ms, counted, undecodable = 0, 0, 0
        for frame in frames:
            columns = [_column(frame, name) for name in self.values]
            values = zip(*columns) if columns else repeat(())
            envelope = zip(*(frame[name].tolist() for name in ("what", "id", "event_ms", "origin")))
            for (what, vehicle, event_ms, origin), value in zip(envelope, values):
                if what == TICK:
                    counts = Counts.unpack(origin)
                    newest_ms = max(newest_ms, event_ms)
                    counted += counts.records
                    undecodable += counts.undecodable
                    continue
                record = Record(vehicle, event_ms, value, origin)
                (future if what == FUTURE else records).append(record)
        return records, future, newest_ms, counted, undecodable


def _set_aside(record: Record, watermark_ms: int | None) -> dict[str, Any]:
    origin = Origin.unpack(record.origin)
    times = {"event_ms": record.event_ms, "watermark_ms": watermark_ms}
    return {**origin._asdict(), **times}


def _packed(value: Any) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


def _column(frame: "pd.DataFrame", name: str) -> list:
    """A column as Python's own values, nothing as None."""
    column = frame[name]
    if column.dtype.kind == "f":
        return [None if value != value else value for value in column.tolist()]
    if column.dtype.kind == "i":
        return [None if value == NOTHING else value for value in column.tolist()]
    return column.tolist()
