"""Timetables in the bucket: where the trips of a route end, and where stops are.

A folder `timetables/<valid from>/` with GTFS's stops.txt, trips.txt and stop_times.txt is in force
for windows that end after it has become valid, until a newer one is.
"""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime

from streambed.events.cells import fine_cell, parent_cell
from streambed.oracle.objects import Objects

PREFIX = "timetables/"
FILES = ("stops.txt", "trips.txt", "stop_times.txt")


class Timetable:
    def __init__(self, cells: dict[str, int], final_stops: dict[tuple[str, int], str]) -> None:
        self._cells = cells
        self._final_stops = final_stops

    def cell_of(self, stop: str) -> int | None:
        return self._cells.get(stop)

    def final_cell(self, route: str, direction: int) -> int | None:
        """Of a direction as vehicles tell it: 1 or 2, where a timetable says 0 or 1."""
        stop = self._final_stops.get((route, direction - 1))
        return None if stop is None else self._cells.get(stop)


class Timetables:
    """All timetables of a bucket; only those in force at a time that is asked for are read."""

    def __init__(self, objects: Objects, resolution: int) -> None:
        self._objects = objects
        self._resolution = resolution
        self._folders = sorted(_folders(objects), reverse=True)  # newest first
        self._read: dict[str, Timetable] = {}

    def in_force(self, end_ms: int) -> Timetable | None:
        for valid_from_ms, folder in self._folders:
            if end_ms > valid_from_ms:
                if folder not in self._read:
                    self._read[folder] = self._timetable(folder)
                return self._read[folder]
        return None

    def _timetable(self, folder: str) -> Timetable:
        stops, trips, times = (self._rows(f"{folder}{file}") for file in FILES)
        cells = {
            row["stop_id"]: parent_cell(
                fine_cell(float(row["stop_lat"]), float(row["stop_lon"])), self._resolution
            )
            for row in stops
            if row.get("stop_lat") and row.get("stop_lon")
        }
        return Timetable(cells, _final_stops(trips, times))

    def _rows(self, name: str) -> Iterator[dict[str, str]]:
        content = self._objects.content(name) or b""
        return csv.DictReader(io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline=""))


def _folders(objects: Objects) -> Iterator[tuple[int, str]]:
    names = set(objects.names(PREFIX))
    for folder in {name.rpartition("/")[0] + "/" for name in names}:
        try:
            moment = datetime.strptime(folder, f"{PREFIX}%Y%m%dT%H%M%SZ/").replace(tzinfo=UTC)
        except ValueError:
            continue
        if names.issuperset(folder + file for file in FILES):
            yield round(moment.timestamp() * 1000), folder


def _final_stops(
    trips: Iterator[dict[str, str]], times: Iterator[dict[str, str]]
) -> dict[tuple[str, int], str]:
    """The last stop of most trips of a route and direction; of equals the smallest as text."""
    last: dict[str, tuple[int, str]] = {}
    for row in times:
        stop = int(row["stop_sequence"]), row["stop_id"]
        known = last.get(row["trip_id"])
        if known is None or stop > known:
            last[row["trip_id"]] = stop
    ends: dict[tuple[str, int], Counter[str]] = {}
    for row in trips:
        if row.get("direction_id") and row["trip_id"] in last:
            line = row["route_id"], int(row["direction_id"])
            ends.setdefault(line, Counter())[last[row["trip_id"]][1]] += 1
    return {
        line: min(stops, key=lambda stop, stops=stops: (-stops[stop], stop))
        for line, stops in ends.items()
    }
