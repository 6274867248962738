"""From Kafka's records to typed columns, in bulk: Arrow in, Arrow out, in both wire modes.

Besides the records, every task tells every group of vehicles how far event time came in it (a
tick): so groups without a record of their own in a batch still know that time went on.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from struct import Struct
from typing import Any, NamedTuple, get_args

import pyarrow as pa

from streambed.analytics.groups import key_of, keys
from streambed.analytics.spark import TIME_ZONE
from streambed.analytics.views import View
from streambed.events import Event
from streambed.events.codec import TYPE_PREFIX, UndecodableRecord, WireMode, decode

# Clocks are wrong by seconds; by more than this, they are broken.
FUTURE_MS = 60_000

RECORD, TICK, FUTURE = 0, 1, 2
WIRE_MODES = get_args(WireMode)

# What the state has to know of a record besides the job's own columns. There is a row of this for
# every record, and each column costs as much as all of Python does: what few need is in one.
ENVELOPE: dict[str, pa.DataType] = {
    "grp": pa.int32(),
    "what": pa.int8(),
    "id": pa.string(),
    "event_ms": pa.int64(),
    "ingestion_ms": pa.int64(),
    "event_time": pa.timestamp("us", tz=TIME_ZONE),
    "origin": pa.binary(),  # of a record, an Origin; of a tick, Counts
}
ENVELOPE_DDL = (
    "grp int, what tinyint, id string, event_ms bigint, ingestion_ms bigint,"
    " event_time timestamp, origin binary"
)
_ARROW = {
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "string": pa.string(),
}

Batches = Iterator[pa.RecordBatch]


class Origin(NamedTuple):
    """Where a record is, and the record as it came."""

    partition: int
    offset: int
    wire: str
    value: bytes

    def pack(self) -> bytes:
        return _PLACE.pack(self.partition, self.offset, WIRE_MODES.index(self.wire)) + self.value

    @classmethod
    def unpack(cls, packed: bytes) -> "Origin":
        partition, offset, wire = _PLACE.unpack_from(packed)
        return cls(partition, offset, WIRE_MODES[wire], packed[_PLACE.size :])


class Counts(NamedTuple):
    """How many records a task has read, and how many of them it could not decode."""

    records: int
    undecodable: int

    def pack(self) -> bytes:
        return _COUNTS.pack(*self)

    @classmethod
    def unpack(cls, packed: bytes) -> "Counts":
        return cls(*_COUNTS.unpack(packed))


_PLACE, _COUNTS = Struct("<iqb"), Struct("<qq")


@dataclass
class _Told:
    """What a task has seen."""

    newest_ms: int = 0
    records: int = 0
    undecodable: int = 0


@dataclass(frozen=True)
class Decoder:
    """Decodes the columns that a job speaks of. `groups` is 0 for jobs without state, which need no
    ticks."""

    view: View
    columns: tuple[str, ...]
    groups: int = 0

    def schema(self) -> str:
        columns = [f"{name} {self.view.columns[name]}" for name in self.columns]
        return ", ".join([ENVELOPE_DDL, *columns])

    def __call__(self, batches: Batches) -> Batches:
        told = _Told()
        unpack = self._unpacker()
        groups: dict[str, int] = {}
        for batch in batches:
            yield self._decode(batch, unpack, told, groups)
        if told.records and self.groups:
            yield self._ticks(told)

    def _decode(
        self, batch: pa.RecordBatch, unpack: Callable, told: _Told, groups: dict[str, int]
    ) -> pa.RecordBatch:
        getters = [self.view.getter(name) for name in self.columns]
        whats, ids, numbers, origins = [], [], [], []
        event_times, ingestion_times = [], []
        rows: list[list[Any]] = [[] for _ in getters]
        names = ("key", "value", "partition", "offset", "wire")
        columns = zip(*(batch.column(name).to_pylist() for name in names), strict=True)
        for key, value, partition, offset, wire in columns:
            told.records += 1
            found = unpack(value, wire)
            if found is None or key is None:
                told.undecodable += 1
                continue
            event_ms, ingestion_ms, details = found
            vehicle = key.decode(errors="replace")
            group = groups.get(vehicle)
            if group is None:
                group = groups[vehicle] = key_of(vehicle, self.groups) if self.groups else 0
            in_future = event_ms > ingestion_ms + FUTURE_MS
            if not in_future and event_ms > told.newest_ms:
                told.newest_ms = event_ms
            whats.append(FUTURE if in_future else RECORD)
            ids.append(vehicle)
            numbers.append(group)
            origins.append(Origin(partition, offset, wire, value).pack())
            event_times.append(event_ms)
            ingestion_times.append(ingestion_ms)
            for row, get in zip(rows, getters):
                row.append(get(details))
        # A clock that nobody believes must not move the watermark.
        believed = [0 if w == FUTURE else ms * 1000 for w, ms in zip(whats, event_times)]
        envelope = {
            "grp": pa.array(numbers, ENVELOPE["grp"]),
            "what": pa.array(whats, ENVELOPE["what"]),
            "id": pa.array(ids, pa.string()),
            "event_ms": pa.array(event_times, pa.int64()),
            "ingestion_ms": pa.array(ingestion_times, pa.int64()),
            "event_time": pa.array(believed, pa.int64()).cast(ENVELOPE["event_time"]),
            "origin": pa.array(origins, pa.binary()),
        }
        for name, row in zip(self.columns, rows):
            envelope[name] = pa.array(row, _ARROW[self.view.columns[name]])
        return pa.RecordBatch.from_pydict(envelope)

    def _ticks(self, told: _Told) -> pa.RecordBatch:
        count = self.groups
        # Counted once, whatever the number of groups.
        counts = [Counts(told.records, told.undecodable), *[Counts(0, 0)] * (count - 1)]
        tick = {
            "grp": keys(count),
            "what": [TICK] * count,
            "event_ms": [told.newest_ms] * count,
            "origin": [one.pack() for one in counts],
        }
        arrays = {
            name: pa.array(tick[name], type_) if name in tick else pa.nulls(count, type_)
            for name, type_ in ENVELOPE.items()
        }
        arrays["event_time"] = pa.array([told.newest_ms * 1000] * count, pa.int64()).cast(
            ENVELOPE["event_time"]
        )
        for name in self.columns:
            arrays[name] = pa.nulls(count, _ARROW[self.view.columns[name]])
        return pa.RecordBatch.from_pydict(arrays)

    def _unpacker(self) -> Callable[[bytes | None, str | None], tuple[int, int, Any] | None]:
        url = TYPE_PREFIX + self.view.type.DESCRIPTOR.full_name
        parse_event, parse_details = Event.FromString, self.view.type.FromString

        def unpack(value: bytes | None, wire: str | None) -> tuple[int, int, Any] | None:
            try:
                if wire == "binary":
                    event = parse_event(value)
                    if event.details.type_url != url or not event.HasField("event_timestamp"):
                        return None
                    details = parse_details(event.details.value)
                elif wire == "json":
                    event, details = decode(value, "json")
                    if type(details) is not self.view.type:
                        return None
                else:
                    return None
            except (UndecodableRecord, Exception):
                return None
            happened, received = event.event_timestamp, event.ingestion_timestamp
            event_ms = happened.seconds * 1000 + happened.nanos // 1_000_000
            if not 0 < event_ms < 1 << 53:
                return None
            return event_ms, received.seconds * 1000 + received.nanos // 1_000_000, details

        return unpack
