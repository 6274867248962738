"""Writes what a batch found to Kafka, and returns when all replicas have it."""

from collections.abc import Iterable
from typing import Any

from confluent_kafka import KafkaException, Producer

from streambed.analytics.encode import Encoder

# A batch that cannot be written in this time fails, and is done again from the checkpoint.
PATIENCE_S = 120.0


class NotWritten(Exception):
    """Kafka has not taken everything."""


class Sending:
    """`with Sending(producer) as sending: sending.send(…)`: at the end everything is safe."""

    def __init__(self, producer: Producer) -> None:
        self._producer = producer
        self._failed: list[Any] = []

    def __enter__(self) -> "Sending":
        return self

    def send(self, topic: str, rows: Iterable[dict[str, Any]], encoder: Encoder) -> None:
        headers = encoder.headers
        for row in rows:
            key, value = encoder.record(row)
            while True:
                try:
                    self._producer.produce(
                        topic, value, key, headers=headers, on_delivery=self._delivered
                    )
                    break
                except BufferError:
                    self._producer.poll(0.1)

    def __exit__(self, kind: Any, *_: Any) -> None:
        left = self._producer.flush(PATIENCE_S if kind is None else 1.0)
        if kind is None and left:
            raise NotWritten(f"Kafka has not acknowledged {left} records in {PATIENCE_S:.0f} s.")
        if kind is None and self._failed:
            raise KafkaException(self._failed[0])

    def _delivered(self, error: Any, _: Any) -> None:
        if error is not None:
            self._failed.append(error)
