"""Where vehicles are heading: how many, by the cell of their final stop.

The timetable knows most destinations. Where it does not, vehicles show them: the stop that was next
just before the end of the line. What nobody knows is counted as unknown.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from streambed.analytics import WindowJob
from streambed.analytics.timetables import Timetables
from streambed.analytics.windows import Row, Value
from streambed.events import FinalStopCount

LEARNED_FOR_MS = 24 * 3_600_000
# Two positions that are further apart prove nothing about what was between them.
MAX_GAP_MS = 60_000


class Said(NamedTuple):
    """A position, as far as it tells where the vehicle is heading."""

    event_ms: int
    route: str
    direction: int
    next_stop: str | None
    end_of_line: bool
    cell: int | None


class Slice(NamedTuple):
    """Kept as a plain tuple, since state outlives the code that made it, and with as little as most
    slices need: there are as many as vehicles times windows."""

    first: Said | None  # if it is at the end of a line, which proves something with the one before
    last: Said
    others: tuple[tuple[str, int], ...]  # lines besides that of the last
    ends: tuple[Row, ...]  # ends of lines that were shown inside the slice

    @property
    def lines(self) -> set[tuple[str, int]]:
        return {(self.last[1], self.last[2]), *self.others}


class Destinations:
    """Rows of a line: `(route, direction, newest, None, None, None)`; and of a destination that was
    learned: `(route, direction, False, stop, cell, learned_ms)`."""

    def of_slice(self, records: Sequence[tuple[int, Value]]) -> tuple:
        said = [Said(event_ms, *value) for event_ms, value in records]
        first, last = said[0], said[-1]
        lines = {(one.route, one.direction) for one in said}
        return (
            tuple(first) if first.end_of_line else None,
            (last.event_ms, sys.intern(last.route), *last[2:]),
            tuple(lines - {(last.route, last.direction)}),
            tuple(end for one, then in pairwise(said) for end in _end_of_line(one, then)),
        )

    def of_window(
        self, end_ms: int, before: Sequence[tuple], inside: Sequence[tuple]
    ) -> Iterator[Row]:
        learned = list(_learned((*before, *inside)))
        if inside:
            inside = [Slice(*part) for part in inside]
            newest = Said(*inside[-1].last)
            lines = set().union(*(part.lines for part in inside))
            for line in lines:
                is_newest = line == (newest.route, newest.direction)
                yield (*line, is_newest, None, None, None)
        yield from _in_time(learned, end_ms)

    def keep(self, memory: dict, first: tuple, then: tuple | None) -> None:
        for row in _learned((first,) if then is None else (first, then)):
            *destination, learned_ms = row
            key = tuple(destination)
            memory[key] = max(memory.get(key, 0), learned_ms)
        oldest = Said(*Slice(*first).last).event_ms - LEARNED_FOR_MS
        for key in [key for key, learned_ms in memory.items() if learned_ms < oldest]:
            del memory[key]

    def of_memory(self, end_ms: int, memory: dict) -> Iterator[Row]:
        return _in_time(((*key, learned_ms) for key, learned_ms in memory.items()), end_ms)


def _learned(slices: Iterable[tuple]) -> Iterator[Row]:
    parts = [Slice(*part) for part in slices]
    for part in parts:
        yield from part.ends
    for one, then in pairwise(parts):
        if then.first is not None:
            yield from _end_of_line(Said(*one.last), Said(*then.first))


def _in_time(rows: Iterable[Row], end_ms: int) -> Iterator[Row]:
    return (row for row in rows if end_ms - LEARNED_FOR_MS <= row[-1] < end_ms)


def _end_of_line(one: Said, then: Said) -> Iterator[Row]:
    """The destination that two consecutive positions show, if they do."""
    same_line = (one.route, one.direction) == (then.route, then.direction)
    on_the_way = one.next_stop is not None and not one.end_of_line
    close = then.event_ms - one.event_ms <= MAX_GAP_MS
    if same_line and on_the_way and then.end_of_line and then.cell is not None and close:
        yield (one.route, one.direction, False, one.next_stop, then.cell, then.event_ms)


class FinalStop(WindowJob):
    name = "final-stop"
    where = "route != ''"
    values = {
        "route": "route",
        "direction": "coalesce(direction, 0)",
        "next_stop": "next_stop",
        "end_of_line": "end_of_line",
        "cell": "parent(cell)",
    }
    summary = Destinations()
    rows = (
        "route string, direction bigint, newest boolean,"
        " stop string, cell bigint, learned_ms bigint"
    )
    result = FinalStopCount
    key = ("cell",)

    # A line has one destination in a window; others that it may have had in an earlier pane are
    # told with nobody in them, and so is the unknown.
    sql = """
        WITH heading AS (
            SELECT window, route, direction, sum(if(newest, n, 0)) AS vehicles
            FROM vehicle_position
            WHERE learned_ms IS NULL
            GROUP BY window, route, direction
        ),
        known AS (
            SELECT heading.window, heading.route, heading.direction, heading.vehicles,
                   timetable.cell AS cell, 1 AS rank, 0 AS learned_ms, '' AS stop
            FROM heading
            JOIN timetable
              ON timetable.route = heading.route AND timetable.direction = heading.direction
             AND unix_millis(heading.window) > timetable.from_ms
             AND unix_millis(heading.window) <= timetable.to_ms
            UNION ALL
            SELECT heading.window, heading.route, heading.direction, heading.vehicles,
                   coalesce(stops.cell, learned.cell) AS cell, 2, learned.learned_ms, learned.stop
            FROM heading
            JOIN vehicle_position AS learned
              ON learned.learned_ms IS NOT NULL AND learned.window = heading.window
             AND learned.route = heading.route AND learned.direction = heading.direction
            LEFT JOIN stops
              ON stops.stop = learned.stop AND unix_millis(heading.window) > stops.from_ms
             AND unix_millis(heading.window) <= stops.to_ms
            UNION ALL
            SELECT window, route, direction, vehicles, NULL AS cell, 3, 0, '' FROM heading
        ),
        ranked AS (
            SELECT *, row_number() OVER (
                PARTITION BY window, route, direction
                ORDER BY rank, learned_ms DESC, stop DESC, cell DESC
            ) AS place
            FROM known
        )
        SELECT window, cell, sum(if(place = 1, vehicles, 0)) AS vehicles
        FROM ranked
        GROUP BY window, cell
    """

    def tables(self, bucket: Any) -> Timetables:
        return Timetables(bucket, self.resolution)
