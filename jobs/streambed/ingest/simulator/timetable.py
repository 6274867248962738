"""A small timetable in the form of GTFS, for the lines of a simulated fleet.

One trip for each direction of each line, at six in the morning: enough to know every line's stops.
Every tenth line is left out, as real timetables leave out what was added at the last minute.
"""

import csv
from collections.abc import Iterable
from pathlib import Path

from streambed.ingest.simulator.network import Line
from streambed.ingest.simulator.vehicle import SECONDS_PER_STOP

FIRST_DEPARTURE = 6 * 3600
LEFT_OUT_EVERY = 10


def write_timetable(lines: Iterable[tuple[Line, Line]], directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    known = [line for number, line in enumerate(lines, 1) if number % LEFT_OUT_EVERY]
    directions = [direction for pair in known for direction in pair]
    stops = {stop.id: stop for line in directions for stop in line.stops}
    _write(
        directory / "stops.txt",
        ("stop_id", "stop_name", "stop_lat", "stop_lon"),
        (
            (stop.id, stop.name, f"{stop.latitude:.6f}", f"{stop.longitude:.6f}")
            for _, stop in sorted(stops.items())
        ),
    )
    _write(
        directory / "trips.txt",
        ("route_id", "service_id", "trip_id", "trip_headsign", "direction_id"),
        # HFP counts directions from one, GTFS from zero.
        (
            (line.route, "daily", _trip(line), line.headsign, line.direction - 1)
            for line in directions
        ),
    )
    _write(
        directory / "stop_times.txt",
        ("trip_id", "arrival_time", "departure_time", "stop_id", "stop_sequence"),
        (
            (_trip(line), _clock(place), _clock(place), stop.id, place + 1)
            for line in directions
            for place, stop in enumerate(line.stops)
        ),
    )


def _trip(line: Line) -> str:
    return f"{line.route}-{line.direction}"


def _clock(place: int) -> str:
    seconds = FIRST_DEPARTURE + place * SECONDS_PER_STOP
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def _write(path: Path, header: tuple[str, ...], rows: Iterable[tuple]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
