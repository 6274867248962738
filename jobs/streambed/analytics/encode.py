"""From rows to Kafka's records: events with deterministic keys, the same bytes every time."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pyarrow as pa
from google.protobuf.message import Message

from streambed.events import Event, LateRecord, Pane, Row
from streambed.events.codec import WireMode, decode, encode

RECORD_DDL = "key binary, value binary, headers array<struct<key string, value binary>>"
RECORD = pa.schema(
    [
        ("key", pa.binary()),
        ("value", pa.binary()),
        ("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())]))),
    ]
)
VERSION_HEADER = "version"
UNKNOWN = "unknown"

Batches = Iterator[pa.RecordBatch]


def version_of(generation: int, batch: int) -> int:
    """Grows with every batch, and with every time that a job begins anew."""
    return generation << 32 | batch


class Encoder:
    """Makes records of rows."""

    wire: WireMode
    version: int

    def record(self, row: dict[str, Any]) -> tuple[bytes, bytes]:
        """The key and the value of a row."""
        raise NotImplementedError

    @property
    def headers(self) -> list[tuple[str, bytes]]:
        return [("wire", self.wire.encode()), (VERSION_HEADER, str(self.version).encode())]

    def __call__(self, batches: Batches) -> Batches:
        """In bulk, on executors."""
        headers = [{"key": key, "value": value} for key, value in self.headers]
        for batch in batches:
            records = [self.record(row) for row in batch.to_pylist()]
            keys, values = zip(*records) if records else ((), ())
            columns = (keys, values, [headers] * len(keys))
            yield pa.RecordBatch.from_arrays(
                [pa.array(column, kind) for column, kind in zip(columns, RECORD.types)],
                schema=RECORD,
            )


@dataclass(frozen=True)
class ResultEncoder(Encoder):
    """Rows of results, whose columns are the fields of `type`; those of a window have `window`, its
    end in ms."""

    type: type[Message]
    key: tuple[str, ...]
    time: str  # the column with the event time in ms, where there is no window
    wire: WireMode
    version: int
    size_ms: int = 0  # of windows
    kinds: Mapping[int, str] = field(default_factory=dict)  # of panes, by the ends of windows

    def record(self, row: dict[str, Any]) -> tuple[bytes, bytes]:
        result = self.type()
        end_ms = row.pop("window", None)
        parts = [_in_key(name, row.get(name)) for name in self.key]
        if end_ms is not None:
            result.window.start.FromMilliseconds(end_ms - self.size_ms)
            result.window.end.FromMilliseconds(end_ms)
            result.pane.kind = Pane.Kind.Value(self.kinds[end_ms])
            result.pane.version = self.version
            parts.insert(0, str(end_ms))
        event_ms = row[self.time] if end_ms is None else end_ms
        _fill(result, row)
        event = Event()
        event.event_timestamp.FromMilliseconds(event_ms)
        event.details.Pack(result, deterministic=True)
        return "/".join(parts).encode(), encode(event, self.wire)


@dataclass(frozen=True)
class LateEncoder(Encoder):
    """Late records, as they came, with what made them late."""

    job: str
    topic: str
    wire: WireMode
    version: int

    def record(self, row: dict[str, Any]) -> tuple[bytes, bytes]:
        place = (self.topic, row["partition"], row["offset"])
        late = LateRecord(
            job=self.job,
            **dict(zip(("topic", "partition", "offset"), place)),
            record=decode(row["value"], row["wire"]).event,
        )
        if row["watermark_ms"] is not None:
            late.watermark.FromMilliseconds(row["watermark_ms"])
        event = Event()
        event.event_timestamp.FromMilliseconds(row["event_ms"])
        event.details.Pack(late, deterministic=True)
        return "/".join(map(str, (self.job, *place))).encode(), encode(event, self.wire)


def _in_key(name: str, value: Any) -> str:
    if value is None:
        return UNKNOWN
    return _KEY_FORMATS.get(name, str)(value)


# Cells as H3 writes them, vehicles as ingestion does.
_KEY_FORMATS: dict[str, Callable[[Any], str]] = {
    "cell": lambda cell: f"{cell:x}",
    "operator": lambda operator: f"{operator:04d}",
    "vehicle": lambda vehicle: f"{vehicle:05d}",
}


def _fill(result: Message, row: dict[str, Any]) -> None:
    if isinstance(result, Row):
        result.values.update({name: _plain(value) for name, value in row.items()})
        return
    for name, value in row.items():
        if value is None:
            continue
        known = result.DESCRIPTOR.fields_by_name[name]
        if known.message_type is not None:
            getattr(result, name).FromMilliseconds(value)
        else:
            setattr(result, name, value)


def _plain(value: Any) -> Any:
    """What JSON has: whole numbers that a double cannot hold become text, moments ISO 8601."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 53:
        return f"{value:x}"
    if isinstance(value, datetime):
        return value.isoformat()
    return value
