"""The axes that both plots share: seconds on a logarithmic scale, and the upper part of 0 to 100 %.

Most records are hardly behind at all, so the share begins where the curves do."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from streambed.analytics.skew.distribution import Distribution

SMALLEST_S = 0.01


@dataclass(frozen=True)
class Scale:
    first_decade: int
    last_decade: int
    lowest_share: float

    @classmethod
    def over(cls, curves: Sequence[Distribution]) -> "Scale":
        largest_s = max(max(curve.largest for curve in curves) / 1000, 1.0)
        lowest = min(curve.share_within(SMALLEST_S * 1000) for curve in curves)
        return cls(
            first_decade=round(math.log10(SMALLEST_S)),
            last_decade=math.ceil(math.log10(largest_s)) or 1,
            lowest_share=min(math.floor(lowest * 10) / 10, 0.9),
        )

    @property
    def decades(self) -> list[int]:
        return list(range(self.first_decade, self.last_decade + 1))

    def across(self, seconds: float) -> float:
        """0 at the left, 1 at the right."""
        place = math.log10(max(seconds, SMALLEST_S)) - self.first_decade
        return min(place / (self.last_decade - self.first_decade), 1.0)

    def up(self, share: float) -> float:
        """0 at the bottom, 1 at the top."""
        return max(0.0, (share - self.lowest_share) / (1 - self.lowest_share))

    def seconds_at(self, across: float) -> float:
        return 10 ** (self.first_decade + across * (self.last_decade - self.first_decade))


def label(decade: int) -> str:
    return f"{10.0**decade:g} s"
