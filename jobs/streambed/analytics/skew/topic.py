"""Arrivals from a topic, by explicit ranges of offsets: no group is joined, nothing committed."""

import time
from collections.abc import Iterator

from confluent_kafka import (
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    TopicPartition,
)

from streambed.analytics.skew.distribution import Arrival
from streambed.analytics.skew.sample import Sample
from streambed.analytics.skew.since import since_ms
from streambed.events import JourneyEvent, StopEvent, VehiclePosition
from streambed.events.codec import UndecodableRecord, decode, wire_mode
from streambed.ingest.hfp.processor import JOURNEY_TOPIC, POSITION_TOPIC, STOP_TOPIC
from streambed.ingest.times import now_ms
from streambed.options import OptionError

TYPES = {POSITION_TOPIC: VehiclePosition, STOP_TOPIC: StopEvent, JOURNEY_TOPIC: JourneyEvent}
PATIENCE = 30.0  # seconds to wait for brokers

Ranges = dict[int, tuple[int, int]]


class KafkaSilent(Exception):
    """The brokers do not answer, or stopped to."""


def read_topic(bootstrap: str, topic: str, *, since: str | None, newest: int) -> Sample:
    """What the topic holds at this moment, or holds since then; of that, about the `newest` so
    many, as all of it has to be put in order in memory."""
    sample = Sample()
    first_ms = None if since is None else since_ms(since, end_ms=now_ms())
    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "streambed-skew",  # librdkafka wants a name; it is never joined
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            "log_level": 2,
        }
    )
    try:
        ranges = _ranges(consumer, topic, first_ms)
        kept = newest_of(ranges, newest)
        if kept != ranges:
            sample.notes.append(
                f"The newest {_size(kept):,} of {_size(ranges):,} records; --newest N reads more."
            )
        for message in _messages(consumer, topic, kept):
            try:
                sample.add(arrival_of(message, TYPES.get(topic)))
            except UndecodableRecord as error:
                sample.left_out[f"undecodable: {error.reason}"] += 1
    except KafkaException as error:
        raise KafkaSilent(f"Kafka at {bootstrap}: {error.args[0].str()}.") from error
    finally:
        consumer.close()
    return sample


def arrival_of(message: Message, type_: type | None) -> Arrival:
    event, details = decode(message.value(), wire_mode(message.headers()))
    if type_ is not None and not isinstance(details, type_):
        name = details.DESCRIPTOR.name
        raise UndecodableRecord("another type", f"A {name} on a topic of {type_.__name__}.")
    received = event.HasField("ingestion_timestamp")
    return Arrival(
        message.timestamp()[1],
        message.partition(),
        message.offset(),
        event.event_timestamp.ToMilliseconds(),
        event.ingestion_timestamp.ToMilliseconds() if received else None,
    )


def newest_of(ranges: Ranges, newest: int) -> Ranges:
    """The same part of every partition, so that the ranges go on to span the same time."""
    size = _size(ranges)
    if size <= newest:
        return ranges
    return {
        partition: (end - (end - start) * newest // size, end)
        for partition, (start, end) in ranges.items()
    }


def _size(ranges: Ranges) -> int:
    return sum(end - start for start, end in ranges.values())


def _ranges(consumer: Consumer, topic: str, first_ms: int | None) -> Ranges:
    topics = consumer.list_topics(timeout=PATIENCE).topics
    if topic not in topics:
        known = ", ".join(sorted(name for name in topics if not name.startswith("_"))) or "none"
        raise OptionError(f"TOPIC: there is no topic {topic!r}; topics: {known}.")
    ranges = {}
    for partition in topics[topic].partitions:
        place = TopicPartition(topic, partition)
        ranges[partition] = consumer.get_watermark_offsets(place, timeout=PATIENCE)
    if first_ms is not None:
        wanted = [TopicPartition(topic, partition, first_ms) for partition in ranges]
        for found in consumer.offsets_for_times(wanted, timeout=PATIENCE):
            _, end = ranges[found.partition]
            start = end if found.offset in (OFFSET_END, -1) else min(found.offset, end)
            ranges[found.partition] = (start, end)
    return ranges


def _messages(consumer: Consumer, topic: str, ranges: Ranges) -> Iterator[Message]:
    """All of the ranges. Where records were compacted away or expired meanwhile, a partition is
    over when its end is reached, not when so many records have come."""
    open_ends = {partition: end for partition, (start, end) in ranges.items() if start < end}
    consumer.assign([TopicPartition(topic, p, ranges[p][0]) for p in open_ends])
    deadline = time.monotonic() + PATIENCE
    while open_ends:
        for message in consumer.consume(10_000, timeout=0.5):
            deadline = time.monotonic() + PATIENCE
            partition = message.partition()
            if message.error() is not None:
                if message.error().code() != KafkaError._PARTITION_EOF:
                    raise KafkaException(message.error())
                open_ends.pop(partition, None)
            elif partition in open_ends:
                if message.offset() < open_ends[partition]:
                    yield message
                if message.offset() + 1 >= open_ends[partition]:
                    del open_ends[partition]
        if time.monotonic() > deadline:
            raise KafkaSilent(f"{topic} could not be read to its end: no answer for {PATIENCE} s.")
