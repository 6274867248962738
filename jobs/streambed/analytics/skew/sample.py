"""What was read: the arrivals that count, and by name those that do not."""

from collections import Counter
from dataclasses import dataclass, field

from streambed.analytics.skew.distribution import Arrival

# As the jobs have it: a clock this far ahead is wrong, and its records would move every watermark.
FUTURE_MS = 60_000


@dataclass
class Sample:
    """`notes` are sentences about what was read; `left_out` counts by reason."""

    arrivals: list[Arrival] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def add(self, arrival: Arrival) -> None:
        ingestion_ms = arrival.ingestion_ms
        if ingestion_ms is not None and arrival.event_ms > ingestion_ms + FUTURE_MS:
            self.left_out["from the future"] += 1
        else:
            self.arrivals.append(arrival)
