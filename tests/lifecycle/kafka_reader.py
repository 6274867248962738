"""Reads topics from where they ended when the test began."""

import time
from collections import Counter
from typing import NamedTuple

from confluent_kafka import Consumer, TopicPartition
from streambed.events import StopEvent, VehiclePosition
from streambed.events.codec import decode, wire_mode
from streambed.ingest.hfp.processor import JOURNEY_KINDS, STOP_KINDS

INPUTS = ("input.vehicle-position", "input.stop-event", "input.journey-event", "input.dead-letter")
STOP_NAMES = {kind: name for name, kind in STOP_KINDS.items()}
JOURNEY_NAMES = {kind: name for name, kind in JOURNEY_KINDS.items()}


class Row(NamedTuple):
    topic: str
    key: bytes | None
    value: bytes
    headers: dict[str, bytes]

    @property
    def identity(self) -> str:
        """As the simulator's ground truth writes it: `0040/00456 vp 1600657200963`."""
        event, details = self.decoded
        if isinstance(details, VehiclePosition):
            name = "vp"
        elif isinstance(details, StopEvent):
            name = STOP_NAMES[details.kind]
        else:
            name = JOURNEY_NAMES[details.kind]
        return f"{self.key.decode()} {name} {event.event_timestamp.ToMilliseconds()}"

    @property
    def decoded(self):
        return decode(self.value, wire_mode(self.headers.items()))


class Reader:
    def __init__(self, bootstrap: str, topics: tuple[str, ...] = INPUTS) -> None:
        self._topics = topics
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": "streambed-ingest-tests",
                "enable.auto.commit": False,
                "enable.partition.eof": False,
            }
        )
        self._from = self._ends()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._consumer.close()

    def rows(self) -> list[Row]:
        """Everything since the test began, up to now."""
        ends = self._ends()
        wanted = sum(ends[place] - start for place, start in self._from.items())
        self._consumer.assign(
            [TopicPartition(*place, start) for place, start in self._from.items()]
        )
        rows, deadline = [], time.monotonic() + 60
        while len(rows) < wanted and time.monotonic() < deadline:
            for message in self._consumer.consume(5000, timeout=0.5):
                assert message.error() is None, message.error()
                headers = dict(message.headers() or ())
                rows.append(Row(message.topic(), message.key(), message.value(), headers))
        return rows

    def identities(self) -> Counter[str]:
        return Counter(row.identity for row in self.rows() if row.topic != "input.dead-letter")

    def wait_for(self, identities: set[str], seconds: float = 60) -> Counter[str]:
        """What has come when all that is wanted has, or when time is up."""
        deadline = time.monotonic() + seconds
        while True:
            found = self.identities()
            if identities <= found.keys() or time.monotonic() > deadline:
                return found
            time.sleep(1)

    def _ends(self) -> dict[tuple[str, int], int]:
        ends = {}
        for topic, metadata in self._consumer.list_topics(timeout=20).topics.items():
            for partition in metadata.partitions if topic in self._topics else ():
                place = TopicPartition(topic, partition)
                _, ends[topic, partition] = self._consumer.get_watermark_offsets(place, 20)
        return ends
