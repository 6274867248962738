"""Vehicles by cell, each counted once: where its newest position in the window was."""

from collections import Counter
from collections.abc import Iterator

from streambed.events import VehicleCount, VehiclePosition
from streambed.oracle.inputs import POSITIONS
from streambed.oracle.window_job import Values, WindowJob
from streambed.oracle.windows import Judged

_CELL_BITS = 64
_CELL = (1 << _CELL_BITS) - 1


class VehicleDistribution(WindowJob):
    name = "vehicle-distribution"
    inputs = (POSITIONS,)
    size_ms = 30_000
    result = VehicleCount

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        # The time within the slice and the cell in one number: the largest is the newest, and of
        # two at the same time the larger cell.
        self._newest: dict[int, dict[str, int]] = {}

    def value_of(self, details: VehiclePosition) -> int | None:
        return self.parent(details.cell) if details.HasField("cell") else None

    def count(self, vehicle: str, event_ms: int, value: int) -> None:
        number, within = divmod(event_ms, self.windows.slice)
        newest = self._newest.setdefault(number, {})
        position = within << _CELL_BITS | value
        if position > newest.get(vehicle, -1):
            newest[vehicle] = position

    def expected(self, judged: Judged) -> Iterator[tuple[int, Values]]:
        for end, positions in self.windows.newest(self._newest, judged):
            yield end, dict(Counter(position & _CELL for position in positions))

    def value_in(self, result: VehicleCount) -> int:
        return result.vehicles

    def counts(self, value: int) -> bool:
        return value > 0

    def describe(self, value: int) -> str:
        return f"{value} vehicles"
