"""Vehicles by the cell of their final stop: the timetable's, or what vehicles themselves showed."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from streambed.events import FinalStopCount, VehiclePosition
from streambed.oracle.clocked_job import ALWAYS
from streambed.oracle.inputs import POSITIONS
from streambed.oracle.progress import Progress
from streambed.oracle.set_aside import SetAside
from streambed.oracle.timetables import Timetable, Timetables
from streambed.oracle.topics import Span
from streambed.oracle.tracks import Tracks
from streambed.oracle.window_job import Values, WindowJob
from streambed.oracle.windows import Judged

REMEMBERED_MS = 24 * 3_600_000
# What lies between positions that are further apart, nobody has seen.
MAX_GAP_MS = 60_000

Line = tuple[str, int]  # route, direction


class _Told(NamedTuple):
    """What a position tells besides time and cell; in the order in which copies are compared."""

    route: str
    direction: int
    next_stop: str
    end_of_line: bool


class _Learned(NamedTuple):
    event_ms: int
    stop: str
    cell: int


class FinalStop(WindowJob):
    name = "final-stop"
    inputs = (POSITIONS,)
    size_ms = 300_000
    result = FinalStopCount

    def __init__(
        self,
        progress: Progress,
        set_aside: SetAside,
        retained: Mapping[str, Mapping[int, Span]],
        timetables: Timetables,
    ) -> None:
        super().__init__(progress, set_aside, retained)
        self._timetables = timetables
        self._tracks = Tracks("LQ")
        self._numbers: dict[tuple, int] = {}
        self._told: list[_Told] = []

    def value_of(self, details: VehiclePosition) -> tuple[int, int] | None:
        if not details.route:
            return None
        told = details.route, details.direction, details.next_stop, details.end_of_line
        number = self._numbers.get(told)
        if number is None:
            number = self._numbers[told] = len(self._told)
            self._told.append(_Told(*told))
        return number, (details.cell if details.HasField("cell") else 0)

    def count(self, vehicle: str, event_ms: int, value: tuple[int, int]) -> None:
        self._tracks.add(vehicle, event_ms, *value)

    def expected(self, judged: Judged) -> Iterator[tuple[int, Values]]:
        lines, learned = self._follow_vehicles()
        for end, seen in self.windows.newest(lines, judged):
            timetable = self._timetables.in_force(end)
            counted: Counter[int | None] = Counter()
            sure = True
            for line, vehicles in Counter(seen).items():
                cell, known = self._final_cell(line, end, timetable, learned.get(line, []))
                counted[cell] += vehicles
                sure = sure and known
            yield end, dict(counted) if sure else None

    def value_in(self, result: FinalStopCount) -> int:
        return result.vehicles

    def counts(self, value: int) -> bool:
        return value > 0

    def describe(self, value: int) -> str:
        return f"{value} vehicles"

    def _follow_vehicles(self) -> tuple[dict[int, dict[str, Line]], dict[Line, list[_Learned]]]:
        """Each vehicle's newest line by slice, and what was learned of each line, oldest first."""
        lines: dict[int, dict[str, Line]] = {}
        learned: dict[Line, list[_Learned]] = {}
        line_of = [(told.route, told.direction) for told in self._told]
        for vehicle, rows in self._tracks.in_order(self._larger):
            before, before_ms = None, 0
            for event_ms, number, cell in rows:
                lines.setdefault(self.windows.slice_of(event_ms), {})[vehicle] = line_of[number]
                seen = before is not None and event_ms - before_ms <= MAX_GAP_MS
                if seen and cell and self._arrives(before, number):
                    stop = self._told[before].next_stop
                    arrival = _Learned(event_ms, stop, self._cell_at_resolution(cell))
                    learned.setdefault(line_of[number], []).append(arrival)
                before, before_ms = number, event_ms
        for arrivals in learned.values():
            arrivals.sort()
        return lines, learned

    def _arrives(self, before: int, after: int) -> bool:
        """At the end of the line: a stop was next, and now none is."""
        if before == after:
            return False
        first, second = self._told[before], self._told[after]
        return (
            first[:2] == second[:2]
            and bool(first.next_stop)
            and not first.end_of_line
            and second.end_of_line
        )

    def _final_cell(
        self, line: Line, end: int, timetable: Timetable | None, learned: list[_Learned]
    ) -> tuple[int | None, bool]:
        """The cell, and whether nothing that is deleted could have told another one."""
        if timetable and (cell := timetable.final_cell(*line)) is not None:
            return cell, True
        newest = bisect_left(learned, (end,)) - 1
        if newest >= 0 and learned[newest].event_ms >= end - REMEMBERED_MS:
            arrival = learned[newest]
            cell = timetable.cell_of(arrival.stop) if timetable else None
            return arrival.cell if cell is None else cell, self._complete_at(arrival.event_ms)
        return None, self._complete_at(end - REMEMBERED_MS)

    def _complete_at(self, event_ms: int) -> bool:
        return self.complete_from == ALWAYS or event_ms >= self.complete_from

    def _cell_at_resolution(self, cell: int) -> int:
        parent = self.parent(cell)
        return cell if parent is None else parent

    def _larger(self, row: tuple[int, int, int]) -> tuple[_Told, int]:
        return self._told[row[1]], row[2]
