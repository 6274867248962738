"""The two abstractions of ingestion. To add one of your own, subclass it and declare an entry
point of the group `streambed.connectors` or `streambed.processors`.

Options in the configuration become keyword arguments of the constructor.
"""

from abc import ABC, abstractmethod

from streambed.ingest.messages import Batch, Outcome, RawMessage


class Connector(ABC):
    """Delivers raw messages, and is told when they are safe."""

    @abstractmethod
    def open(self) -> None:
        """Start to receive."""

    @abstractmethod
    def receive(self, timeout: float) -> Batch | None:
        """What has come, or None after `timeout` seconds without anything."""

    @abstractmethod
    def settle(self, batch: Batch) -> None:
        """Kafka has everything of this batch. Batches are settled in the order of receipt."""

    @abstractmethod
    def close(self) -> None:
        """Stop; what was not settled stays with the source or comes again."""

    @property
    def exhausted(self) -> bool:
        """Whether nothing more will ever come."""
        return False


class Processor(ABC):
    """Turns a raw message into a record, or drops it with a reason.

    `topics` are those it writes to, so that a stage without them is refused.
    """

    topics: tuple[str, ...] = ()

    @abstractmethod
    def process(self, message: RawMessage, shift_ms: int = 0, copy: int = 0) -> Outcome:
        """Never raises, whatever the message; see Batch for `shift_ms` and `copy`."""
