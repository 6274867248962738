"""How far a job is behind: what Kafka has by now, less what the job has read.

Spark tells only what was left when it planned a batch, which is nothing for a job that takes all
there is, however long it then works on it.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any

Place = tuple[str, int]  # topic and partition

ASK_EVERY_S = 2.0


class Ends:
    """The ends of topics, asked for at most every other second, whoever wants to know."""

    def __init__(self, ask: Callable[[list[str]], dict[Place, int]]) -> None:
        self._ask = ask
        self._known: dict[str, tuple[float, dict[Place, int]]] = {}

    def of(self, topic: str) -> dict[Place, int]:
        asked, ends = self._known.get(topic, (0.0, {}))
        if time.monotonic() - asked > ASK_EVERY_S:
            ends = self._ask([topic])
            self._known[topic] = (time.monotonic(), ends)
        return ends


def lag(read: Mapping[Place, int], ends: Mapping[Place, int]) -> int | None:
    """Records between what was read and the ends; unknown if the ends are."""
    if not ends:
        return None
    return sum(max(0, end - read.get(place, 0)) for place, end in ends.items())


def ends_in_kafka(bootstrap: str) -> Callable[[list[str]], dict[Place, int]]:
    from confluent_kafka import KafkaException, TopicPartition
    from confluent_kafka.admin import AdminClient, OffsetSpec

    admin: Any = AdminClient({"bootstrap.servers": bootstrap})

    def ask(topics: list[str]) -> dict[Place, int]:
        try:
            partitions = [
                TopicPartition(topic, number)
                for topic in topics
                for number in admin.list_topics(topic, timeout=3).topics[topic].partitions
            ]
            wanted = {partition: OffsetSpec.latest() for partition in partitions}
            answers = admin.list_offsets(wanted, request_timeout=3)
            return {(p.topic, p.partition): a.result().offset for p, a in answers.items()}
        except KafkaException:  # it is away, and tells again when it is back
            return {}

    return ask
