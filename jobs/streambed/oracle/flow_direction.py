"""Where vehicles in a cell moved to most often.

A window holds all of a vehicle's positions between its start and its end, so two that are
consecutive in it are consecutive altogether: moves are found once, for all windows.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from h3.api import basic_int

from streambed.events import FlowDirection as Result
from streambed.events import VehiclePosition
from streambed.oracle.inputs import POSITIONS
from streambed.oracle.tracks import Tracks
from streambed.oracle.window_job import Values, WindowJob
from streambed.oracle.windows import Judged


class Flow(NamedTuple):
    to_cell: int
    moves: int
    all_moves: int


class _Move(NamedTuple):
    first_slice: int
    from_cell: int
    to_cell: int


class FlowDirection(WindowJob):
    name = "flow-direction"
    inputs = (POSITIONS,)
    size_ms = 300_000
    result = Result

    def __init__(self, *arguments) -> None:
        super().__init__(*arguments)
        self._tracks = Tracks("Q")

    def value_of(self, details: VehiclePosition) -> int | None:
        return self.parent(details.cell) if details.HasField("cell") else None

    def count(self, vehicle: str, event_ms: int, value: int) -> None:
        self._tracks.add(vehicle, event_ms, value)

    def expected(self, judged: Judged) -> Iterator[tuple[int, Values]]:
        moves = self._moves_by_last_slice()
        for end in self.windows.ends(moves, judged):
            slices = self.windows.slices_of(end)
            counted: dict[int, Counter[int]] = {}
            for number in slices:
                for move in moves.get(number, ()):
                    if move.first_slice >= slices.start:
                        counted.setdefault(move.from_cell, Counter())[move.to_cell] += 1
            yield end, {cell: flow_of(to_cells) for cell, to_cells in counted.items()}

    def value_in(self, result: Result) -> Flow:
        return Flow(result.to_cell, result.moves, result.all_moves)

    def counts(self, value: Flow) -> bool:
        return value != Flow(0, 0, 0)

    def describe(self, value: Flow) -> str:
        return f"{value.moves} of {value.all_moves} moves to {value.to_cell:015x}"

    def _moves_by_last_slice(self) -> dict[int, list[_Move]]:
        moves: dict[int, list[_Move]] = {}
        slice_of = self.windows.slice_of
        for _, positions in self._tracks.in_order():
            for (left_ms, left), (came_ms, came) in pairwise(positions):
                if left != came and are_neighbours(left, came):
                    move = _Move(slice_of(left_ms), left, came)
                    moves.setdefault(slice_of(came_ms), []).append(move)
        return moves


def flow_of(to_cells: Counter[int]) -> Flow:
    moves, to_cell = min((-moves, cell) for cell, moves in to_cells.items())
    return Flow(to_cell, -moves, to_cells.total())


@lru_cache(maxsize=1 << 16)
def are_neighbours(one: int, other: int) -> bool:
    return basic_int.are_neighbor_cells(one, other)
