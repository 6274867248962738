"""Delays at arrivals by cell: percentiles by nearest rank, in minutes."""

from collections.abc import Iterator
from typing import NamedTuple

from streambed.events import DelayDistribution as Result
from streambed.events import StopEvent
from streambed.oracle.inputs import STOPS
from streambed.oracle.window_job import Values, WindowJob
from streambed.oracle.windows import Judged


class Delays(NamedTuple):
    p50: float
    p90: float
    p99: float
    arrivals: int


class DelayDistribution(WindowJob):
    name = "delay-distribution"
    inputs = (STOPS,)
    size_ms = 300_000
    result = Result

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        self._arrivals: dict[int, dict[tuple[str, int], tuple[int, int]]] = {}

    def value_of(self, details: StopEvent) -> tuple[int, int] | None:
        if details.kind != StopEvent.ARRIVED:
            return None
        position = details.position
        if not position.HasField("cell") or not position.HasField("delay"):
            return None
        cell = self.parent(position.cell)
        return None if cell is None else (cell, position.delay)

    def count(self, vehicle: str, event_ms: int, value: tuple[int, int]) -> None:
        arrivals = self._arrivals.setdefault(self.windows.slice_of(event_ms), {})
        known = arrivals.get((vehicle, event_ms))
        if known is None or value > known:
            arrivals[vehicle, event_ms] = value

    def expected(self, judged: Judged) -> Iterator[tuple[int, Values]]:
        for end in self.windows.ends(self._arrivals, judged):
            delays: dict[int, list[int]] = {}
            for number in self.windows.slices_of(end):
                for cell, delay in self._arrivals.get(number, {}).values():
                    delays.setdefault(cell, []).append(delay)
            yield end, {cell: delays_of(seconds) for cell, seconds in delays.items()}

    def value_in(self, result: Result) -> Delays:
        return Delays(result.p50, result.p90, result.p99, result.arrivals)

    def counts(self, value: Delays) -> bool:
        return value.arrivals > 0


def delays_of(seconds: list[int]) -> Delays:
    ordered = sorted(seconds)
    # The rank in whole numbers: a fraction may be a hair too large for its own ceiling.
    ranks = (-(-percent * len(ordered) // 100) for percent in (50, 90, 99))
    return Delays(*(ordered[rank - 1] / 60.0 for rank in ranks), len(ordered))
