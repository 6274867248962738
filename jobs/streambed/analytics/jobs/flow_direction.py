"""Where traffic flows: the neighbouring cell that vehicles in a cell moved to most often."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from streambed.analytics import WindowJob
from streambed.analytics.windows import Row, Value
from streambed.events import FlowDirection as Result
from streambed.events.cells import are_neighbours


class Moves:
    """From cell to neighbouring cell, between consecutive positions of a vehicle in a window.

    A slice is the sequence of its cells, each told once however long the vehicle stayed. Cells that
    were not left are told as well, since an earlier pane may have seen a move where, as turned out
    later, there was none.
    """

    def of_slice(self, records: Sequence[tuple[int, Value]]) -> tuple[int, ...]:
        return without_repeats(cell for _, (cell,) in records)

    def of_window(self, end_ms: int, before: Sequence, inside: Sequence[tuple]) -> list[Row]:
        cells = without_repeats(cell for path in inside for cell in path)
        moves = [move for move in pairwise(cells) if are_neighbours(*move)]
        left = {start for start, _ in moves}
        return moves + [(cell, None) for cell in set(cells) - left]

    def keep(self, memory: dict, first: tuple, then: tuple | None) -> None:
        pass

    def of_memory(self, end_ms: int, memory: dict) -> Iterable[Row]:
        return ()


def without_repeats(cells: Iterable[int]) -> tuple[int, ...]:
    path: list[int] = []
    for cell in cells:
        if not path or path[-1] != cell:
            path.append(cell)
    return tuple(path)


class FlowDirection(WindowJob):
    name = "flow-direction"
    where = "cell IS NOT NULL"
    values = {"cell": "parent(cell)"}
    summary = Moves()
    rows = "cell bigint, to_cell bigint"
    result = Result
    key = ("cell",)
    part = "cell"

    # Of neighbours that were moved to equally often, the one with the smaller number.
    sql = """
        WITH moved AS (
            SELECT window, cell, to_cell, sum(if(to_cell IS NULL, 0, n)) AS moves
            FROM vehicle_position
            GROUP BY window, cell, to_cell
        )
        SELECT window, cell, sum(moves) AS all_moves, max(moves) AS moves,
               coalesce(
                   max_by(to_cell, struct(moves, -to_cell)) FILTER (WHERE moves > 0), 0
               ) AS to_cell
        FROM moved
        GROUP BY window, cell
    """
