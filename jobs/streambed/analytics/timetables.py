"""GTFS timetables on the bucket, as tables for queries; they are replaced by adding a newer one.

`timetables/<valid from>/{stops,trips,stop_times}.txt`, such as `timetables/20261118T160000Z/`. A
timetable is in force for windows that end after it became valid, until a newer one is: so the same
window always gets the same answer, also when it is computed again.
"""

import csv
import io
import logging
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from streambed.events.cells import fine_cell, parent_cell

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

PREFIX = "timetables/"
FORMAT = "%Y%m%dT%H%M%SZ"
FILES = ("stops", "trips", "stop_times")
LOOK_EVERY_S = 10.0
FOR_EVER_MS = 1 << 62


class FinalStops(NamedTuple):
    """What a timetable says: the cells of stops, and the last stop of each line."""

    cells: dict[str, int]
    last_stops: dict[tuple[str, int], str]


def read(files: dict[str, str], resolution: int) -> FinalStops:
    """From the texts of the three files. Of trips that end differently, most trips win."""
    cells = {
        # By way of the fine cell, as positions get theirs: hexagons do not nest exactly.
        row["stop_id"]: parent_cell(
            fine_cell(float(row["stop_lat"]), float(row["stop_lon"])), resolution
        )
        for row in _rows(files["stops"])
    }
    last: dict[str, tuple[int, str]] = {}
    for row in _rows(files["stop_times"]):
        here = (int(row["stop_sequence"]), row["stop_id"])
        last[row["trip_id"]] = max(last.get(row["trip_id"], here), here)
    ends: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for row in _rows(files["trips"]):
        if row["trip_id"] in last:
            # HFP counts directions from one, GTFS from zero.
            line = (row["route_id"], int(row["direction_id"]) + 1)
            ends[line][last[row["trip_id"]][1]] += 1
    return FinalStops(
        cells,
        {line: min(stops, key=lambda s: (-stops[s], s)) for line, stops in ends.items()},
    )


class Timetables:
    """The views `timetable` and `stops`, kept up to date with the bucket."""

    def __init__(
        self, bucket: Any, resolution: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._bucket = bucket
        self._resolution = resolution
        self._clock = clock
        self._looked = -LOOK_EVERY_S
        self._known: dict[int, FinalStops] = {}

    def refresh(self, session: "SparkSession") -> None:
        """Register the views; look for new timetables now and then."""
        if self._clock() - self._looked >= LOOK_EVERY_S:
            self._look()
            self._looked = self._clock()
        lines, stops = self.rows()
        session.createDataFrame(
            lines, "route string, direction bigint, cell bigint, from_ms bigint, to_ms bigint"
        ).hint("broadcast").createOrReplaceTempView("timetable")
        session.createDataFrame(
            stops, "stop string, cell bigint, from_ms bigint, to_ms bigint"
        ).hint("broadcast").createOrReplaceTempView("stops")

    def rows(self) -> tuple[list[tuple], list[tuple]]:
        lines, stops = [], []
        begins = sorted(self._known)
        for from_ms, to_ms in zip(begins, [*begins[1:], FOR_EVER_MS]):
            found = self._known[from_ms]
            stops += [(stop, cell, from_ms, to_ms) for stop, cell in found.cells.items()]
            lines += [
                (*line, found.cells[stop], from_ms, to_ms)
                for line, stop in found.last_stops.items()
                if stop in found.cells
            ]
        return lines, stops

    def _look(self) -> None:
        for name in self._bucket.folders(PREFIX):
            from_ms = parse_name(name)
            if from_ms is None or from_ms in self._known:
                continue
            try:
                texts = {
                    part: self._bucket.read(f"{PREFIX}{name}/{part}.txt").decode("utf-8-sig")
                    for part in FILES
                }
                self._known[from_ms] = read(texts, self._resolution)
            except (KeyError, ValueError, TypeError) as error:
                log.warning(
                    "The timetable %s cannot be read and is left out: %r. Mend its files.",
                    name,
                    error,
                )
                continue
            log.info("Timetable %s: %d lines.", name, len(self._known[from_ms].last_stops))


def parse_name(name: str) -> int | None:
    try:
        moment = datetime.strptime(name, FORMAT).replace(tzinfo=UTC)
    except ValueError:
        return None
    return round(moment.timestamp() * 1000)


def _rows(text: str) -> Iterable[dict[str, str]]:
    return csv.DictReader(io.StringIO(text))
