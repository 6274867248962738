"""Which results may be gone because the output topic's retention has deleted them."""

from collections.abc import Mapping

from streambed.oracle.topics import Span


class OutputRetention:
    """Shown every result of a topic in the order of its partition.

    What a partition has lost was written by the batch that wrote what is first there now, or by
    earlier ones; so it is about times that those batches had reached."""

    def __init__(self, spans: Mapping[int, Span]) -> None:
        self._first_version: dict[int, int | None] = {
            partition: None for partition, span in spans.items() if span.truncated
        }
        self._empty = {number for number in self._first_version if not _any(spans[number])}
        self._until = float("-inf")

    def see(self, partition: int, version: int, event_ms: int) -> None:
        if partition not in self._first_version:
            return
        first = self._first_version[partition]
        if first is None:
            first = self._first_version[partition] = version
        if version <= first:
            self._until = max(self._until, event_ms)

    @property
    def expired_until(self) -> float:
        """Results about this time or an earlier one may have been there."""
        return float("inf") if self._empty else self._until


def _any(span: Span) -> bool:
    return span.end > span.earliest
