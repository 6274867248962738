"""A stage in memory: topics and a bucket, filled in a few words, and read by the oracle.

Times are seconds after a moment at which windows of 5 s and of 5 minutes end.
"""

import json
from datetime import UTC, datetime

from h3.api import basic_int
from streambed.events import (
    DelayDistribution,
    EmergencyStop,
    Event,
    FinalStopCount,
    FlowDirection,
    LateRecord,
    Pane,
    StopEvent,
    VehicleCount,
    VehiclePosition,
    Window,
)
from streambed.events.codec import encode, headers
from streambed.oracle.check import check
from streambed.oracle.topics import Record, Span

BEGIN_MS = 1_700_000_100_000
POSITIONS, STOPS, LATE = "input.vehicle-position", "input.stop-event", "analytics.late"

HOME = basic_int.latlng_to_cell(60.17, 24.94, 9)
NEXT, OTHER = sorted(basic_int.grid_ring(HOME, 1))[:2]
FAR = basic_int.latlng_to_cell(60.30, 25.10, 9)

RESULTS = {
    "vehicle-distribution": VehicleCount,
    "delay-distribution": DelayDistribution,
    "flow-direction": FlowDirection,
    "final-stop": FinalStopCount,
}
SIZES = {"vehicle-distribution": 30}


def ms(seconds: float) -> int:
    return BEGIN_MS + round(seconds * 1000)


def fine(cell: int) -> int:
    return basic_int.cell_to_center_child(cell, 12)


def timestamp(event_ms: int):
    made = Event().event_timestamp
    made.FromMilliseconds(event_ms)
    return made


def position(cell: int | None = HOME, **fields) -> VehiclePosition:
    if cell is not None:
        fields["cell"] = fine(cell)
    return VehiclePosition(**{"operator": 40, "vehicle": 1, **fields})


def event_of(details, event_ms: int, ingestion_ms: int | None = None) -> Event:
    event = Event(event_timestamp=timestamp(event_ms))
    if ingestion_ms is not None:
        event.ingestion_timestamp.FromMilliseconds(ingestion_ms)
    event.details.Pack(details)
    return event


class Stage:
    def __init__(self):
        self.records: dict[str, dict[int, list[Record]]] = {POSITIONS: {0: []}, STOPS: {0: []}}
        self.earliest: dict[tuple[str, int], int] = {}
        self.bucket: dict[str, bytes] = {}

    # What the oracle reads

    def retained(self, topic):
        return {
            partition: Span(self.earliest.get((topic, partition), 0), len(records))
            for partition, records in self.records.get(topic, {}).items()
        }

    def read(self, topic, spans):
        for partition, span in spans.items():
            yield from self.records[topic][partition][span.earliest : span.end]

    def names(self, prefix):
        return [name for name in self.bucket if name.startswith(prefix)]

    def content(self, name):
        return self.bucket.get(name)

    # What a test fills in

    def append(self, topic, key, value, record_headers, *, partition=0) -> Record:
        records = self.records.setdefault(topic, {}).setdefault(partition, [])
        record = Record(
            topic, partition, len(records), key.encode(), value, record_headers, BEGIN_MS
        )
        records.append(record)
        return record

    def input(self, topic, vehicle, at, details, *, received=None, partition=0, wire="binary"):
        event = event_of(details, ms(at), ms(at if received is None else received))
        return self.append(topic, vehicle, encode(event, wire), headers(wire), partition=partition)

    def position(self, vehicle, at, cell=HOME, *, received=None, partition=0, **fields) -> Record:
        details = position(cell, **fields)
        return self.input(POSITIONS, vehicle, at, details, received=received, partition=partition)

    def arrival(self, vehicle, at, cell, delay, kind=StopEvent.ARRIVED) -> Record:
        fields = {} if delay is None else {"delay": delay}
        details = StopEvent(kind=kind, position=position(cell, **fields))
        return self.input(STOPS, vehicle, at, details)

    def commit(self, job, *, batch=7, generation=0, options=None, ends=None) -> None:
        """The job has consumed everything up to now, or up to `ends`."""
        consumed = {
            topic: {str(n): len(records) for n, records in partitions.items()}
            for topic, partitions in self.records.items()
            if topic.startswith("input.")
        }
        folder = f"checkpoints/{job}"
        head = {"generation": generation, "owner": "x", "epoch": 1, "options": options or {}}
        self.bucket[f"{folder}/head.json"] = json.dumps(head).encode()
        for number in (batch - 1, batch):
            self.bucket[f"{folder}/{generation}/commits/{number}"] = b"v1\n{}"
        self.bucket[f"{folder}/{generation}/offsets/{batch}"] = "\n".join(
            ["v1", '{"batchWatermarkMs":0}', json.dumps(ends or consumed)]
        ).encode()

    def says(
        self,
        job,
        end,
        cell,
        *,
        pane=Pane.ON_TIME,
        version=3,
        wire="binary",
        size=None,
        told_version=None,
        partition=0,
        **values,
    ):
        size = SIZES.get(job, 300) if size is None else size
        details = RESULTS[job](
            window=Window(start=timestamp(ms(end - size)), end=timestamp(ms(end))),
            pane=Pane(kind=pane, version=version if told_version is None else told_version),
            **({} if cell is None else {"cell": cell}),
            **values,
        )
        key = f"{ms(end)}/{'unknown' if cell is None else f'{cell:015x}'}"
        self.output(job, key, event_of(details, ms(end)), version, wire, partition=partition)

    def reports(self, whose, ended, *, version=3, **fields):
        details = EmergencyStop(ended=timestamp(ms(ended)), **fields)
        key = f"{whose}/{ms(ended)}"
        self.output("emergency-stop", key, event_of(details, ms(ended)), version)

    def sets_aside(self, job, record: Record, watermark, *, version=3, copy=None):
        event = Event.FromString(record.value if copy is None else copy.value)
        late = LateRecord(
            job=job,
            topic=record.topic,
            partition=record.partition,
            offset=record.offset,
            record=event,
        )
        if watermark is not None:
            late.watermark.CopyFrom(timestamp(ms(watermark)))
        key = f"{job}/{record.topic}/{record.partition}/{record.offset}"
        about = event_of(late, event.event_timestamp.ToMilliseconds())
        self.output("late", key, about, version)

    def output(self, job, key, event, version, wire="binary", *, partition=0):
        told = [*headers(wire), ("version", str(version).encode())]
        self.append(f"analytics.{job}", key, encode(event, wire), told, partition=partition)

    def timetable(self, valid_from, stops, trips):
        """`stops`: id -> (latitude, longitude); `trips`: (route, direction_id, [stop ids])."""
        moment = datetime.fromtimestamp(ms(valid_from) / 1000, UTC)
        folder = f"timetables/{moment:%Y%m%dT%H%M%SZ}"
        rows = {
            "stops": ["stop_id,stop_lat,stop_lon"]
            + [f"{stop},{lat},{lon}" for stop, (lat, lon) in stops.items()],
            "trips": ["route_id,trip_id,direction_id"]
            + [f"{route},trip-{n},{way}" for n, (route, way, _) in enumerate(trips)],
            "stop_times": ["trip_id,stop_id,stop_sequence"]
            + [
                f"trip-{n},{stop},{number}"
                for n, (_, _, called) in enumerate(trips)
                for number, stop in enumerate(called, 8)
            ],
        }
        for name, lines in rows.items():
            self.bucket[f"{folder}/{name}.txt"] = ("\ufeff" + "\r\n".join(lines)).encode()

    def compare(self, job, since=float("-inf")):
        (comparison,) = check(self, self, [job], since)
        return comparison


def counts(comparison) -> tuple[int, int, int, int]:
    """Compared, missing, wrong, extra."""
    c = comparison
    return c.compared, c.missing, c.wrong, c.extra


def keys(comparison, kind) -> list[str]:
    return [difference.key for difference in comparison.differences if difference.kind == kind]


def key(end, cell) -> str:
    return f"{ms(end)}/{'unknown' if cell is None else f'{cell:015x}'}"
