"""What the oracle needs of Kafka: how much of a topic is retained, and its records."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol


class Record(NamedTuple):
    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: list[tuple[str, bytes]] | None
    timestamp_ms: int  # Kafka's own, for records that tell no time themselves


class Span(NamedTuple):
    """Offsets of a partition, from `earliest` up to, not including, `end`."""

    earliest: int
    end: int

    @property
    def truncated(self) -> bool:
        """Whether retention has deleted what came first."""
        return self.earliest > 0


class Topics(Protocol):
    def retained(self, topic: str) -> dict[int, Span]:
        """What there is of every partition; nothing of a topic that does not exist."""

    def read(self, topic: str, spans: Mapping[int, Span]) -> Iterator[Record]:
        """The records of the spans, those of a partition in the order of their offsets."""
