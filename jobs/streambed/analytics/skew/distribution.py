"""The skew of records, and what a watermark bound of a certain size would leave behind.

The skew of a record is how far its event time is behind the newest event time seen so far, in the
order of arrival: the very distance that the bound of a watermark has to cover. Whole milliseconds
and nearest ranks throughout, so that no figure is one that no record had.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple


class Arrival(NamedTuple):
    """A record as it came; the first three fields are the order of arrival. `ingestion_ms` is None
    where nobody wrote it down."""

    arrival_ms: int
    partition: int
    offset: int
    event_ms: int
    ingestion_ms: int | None


@dataclass(frozen=True)
class Distribution:
    """Milliseconds, in ascending order."""

    ordered: list[int]

    @classmethod
    def of(cls, values: Iterable[int]) -> "Distribution":
        return cls(sorted(values))

    def __len__(self) -> int:
        return len(self.ordered)

    def percentile(self, percent: Decimal) -> int:
        """The smallest value that so many percent do not exceed (nearest rank). Decimal, because
        0.999 of a thousand must be 999 and not a little more."""
        rank = math.ceil(percent * len(self.ordered) / 100)
        return self.ordered[max(rank, 1) - 1]

    def beyond(self, ms: float) -> int:
        """How many exceed it."""
        return len(self.ordered) - bisect_right(self.ordered, ms)

    def share_within(self, ms: float) -> float:
        return bisect_right(self.ordered, ms) / len(self.ordered)

    @property
    def largest(self) -> int:
        return self.ordered[-1]


def skews_of(arrivals: Iterable[Arrival]) -> Distribution:
    newest_ms = -math.inf
    skews = []
    for arrival in sorted(arrivals, key=lambda arrival: arrival[:3]):
        newest_ms = max(newest_ms, arrival.event_ms)
        skews.append(newest_ms - arrival.event_ms)
    return Distribution.of(skews)


def latenesses_of(arrivals: Iterable[Arrival]) -> Distribution:
    """Received after it happened, by so much; negative where a vehicle's clock is ahead."""
    return Distribution.of(
        arrival.ingestion_ms - arrival.event_ms
        for arrival in arrivals
        if arrival.ingestion_ms is not None
    )
