"""From rows to Kafka's records: events with deterministic keys, the same bytes every time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
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


@dataclass(frozen=True)
class ResultEncoder:
    """Rows of results, whose columns are the fields of `type`; those of a window have `window`."""

    type: type[Message]
    key: tuple[str, ...]
    time: str | None  # the column with the event time in ms, where there is no window
    wire: WireMode
    version: int

    def __call__(self, batches: Batches) -> Batches:
        headers = _headers(self.wire, self.version)
        for batch in batches:
            records = [self._record(row) for row in batch.to_pylist()]
            keys, values = zip(*records) if records else ((), ())
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array(keys, pa.binary()),
                    pa.array(values, pa.binary()),
                    pa.array([headers] * len(keys), RECORD.field("headers").type),
                ],
                schema=RECORD,
            )

    def _record(self, row: dict[str, Any]) -> tuple[bytes, bytes]:
        result = self.type()
        window = row.pop("window", None)
        parts = [_in_key(name, row.get(name)) for name in self.key]
        if window is not None:
            start_ms, event_ms = _to_ms(window["start"]), _to_ms(window["end"])
            result.window.start.FromMilliseconds(start_ms)
            result.window.end.FromMilliseconds(event_ms)
            result.pane.kind = Pane.Kind.Value(window["pane"])
            result.pane.version = self.version
            parts.insert(0, str(event_ms))
        else:
            event_ms = row[self.time]
        _fill(result, row)
        event = Event()
        event.event_timestamp.FromMilliseconds(event_ms)
        event.details.Pack(result, deterministic=True)
        return "/".join(parts).encode(), encode(event, self.wire)


@dataclass(frozen=True)
class LateEncoder:
    """Late records, as they came, with what made them late."""

    job: str
    wire: WireMode
    version: int

    def __call__(self, batches: Batches) -> Batches:
        headers = _headers(self.wire, self.version)
        for batch in batches:
            rows = batch.to_pylist()
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array([self._key(row) for row in rows], pa.binary()),
                    pa.array([self._value(row) for row in rows], pa.binary()),
                    pa.array([headers] * len(rows), RECORD.field("headers").type),
                ],
                schema=RECORD,
            )

    def _key(self, row: dict[str, Any]) -> bytes:
        return f"{self.job}/{row['topic']}/{row['partition']}/{row['offset']}".encode()

    def _value(self, row: dict[str, Any]) -> bytes:
        late = LateRecord(
            job=self.job,
            topic=row["topic"],
            partition=row["partition"],
            offset=row["offset"],
            record=decode(row["value"], row["wire"]).event,
        )
        if row["watermark_ms"] is not None:
            late.watermark.FromMilliseconds(row["watermark_ms"])
        event = Event()
        event.event_timestamp.FromMilliseconds(row["event_ms"])
        event.details.Pack(late, deterministic=True)
        return encode(event, self.wire)


def _headers(wire: WireMode, version: int) -> list[dict[str, Any]]:
    return [
        {"key": "wire", "value": wire.encode()},
        {"key": VERSION_HEADER, "value": str(version).encode()},
    ]


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
        field = result.DESCRIPTOR.fields_by_name[name]
        if field.message_type is not None:
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


def _to_ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
