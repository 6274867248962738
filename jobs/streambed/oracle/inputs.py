"""The input: every record is read and decoded once, and shown to all jobs that consumed it."""

import sys
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from streambed.events import Event, JourneyEvent, StopEvent, VehiclePosition
from streambed.events.codec import UndecodableRecord, decode, wire_mode
from streambed.oracle.errors import Failed
from streambed.oracle.topics import Record, Span, Topics

POSITIONS, STOPS, JOURNEYS = "input.vehicle-position", "input.stop-event", "input.journey-event"
TYPES: dict[str, type[Message]] = {
    POSITIONS: VehiclePosition,
    STOPS: StopEvent,
    JOURNEYS: JourneyEvent,
}

# A clock may be wrong by so much; a record that is further ahead is from the future.
FUTURE_MS = 60_000


class Reading(NamedTuple):
    """A record that could be decoded."""

    vehicle: str
    event_ms: int
    ingestion_ms: int
    from_the_future: bool
    event: Event
    details: Message


class Reader(Protocol):
    """A job that consumed a prefix of topics."""

    ends: Mapping[str, Mapping[int, int]]

    def take(self, record: Record, reading: Reading | None) -> None:
        """A consumed record; without a reading when it cannot be decoded."""


def milliseconds(timestamp: Timestamp) -> int:
    return timestamp.seconds * 1000 + timestamp.nanos // 1_000_000


def understand(record: Record) -> Reading | None:
    try:
        event, details = decode(record.value, wire_mode(record.headers))
    except UndecodableRecord:
        return None
    if type(details) is not TYPES.get(record.topic):
        return None
    event_ms = milliseconds(event.event_timestamp)
    ingestion_ms = milliseconds(event.ingestion_timestamp)
    return Reading(
        sys.intern((record.key or b"").decode(errors="replace")),
        event_ms,
        ingestion_ms,
        event_ms > ingestion_ms + FUTURE_MS,
        event,
        details,
    )


def feed(
    topics: Topics, retained: Mapping[str, Mapping[int, Span]], readers: Sequence[Reader]
) -> None:
    """Show every reader what it consumed, as far as it is retained."""
    for topic, spans in retained.items():
        concerned = [reader for reader in readers if topic in reader.ends]
        wanted = {
            partition: Span(
                span.earliest,
                max((reader.ends[topic].get(partition, 0) for reader in concerned), default=0),
            )
            for partition, span in spans.items()
        }
        takers = {
            partition: [(reader.ends[topic].get(partition, 0), reader.take) for reader in concerned]
            for partition in wanted
        }
        for record in topics.read(topic, wanted):
            reading = understand(record)
            for end, take in takers[record.partition]:
                if record.offset < end:
                    take(record, reading)


def expect_what_was_consumed(
    topic: str, spans: Mapping[int, Span], consumed: Mapping[int, int]
) -> None:
    for partition, end in consumed.items():
        there = spans[partition].end if partition in spans else 0
        if end > there:
            raise Failed(
                f"{topic}/{partition} ends at {there}, yet a job consumed it up to {end}:"
                " the topic has lost records or has been made anew."
            )
