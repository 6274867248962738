"""Vehicles that came to rest from speed within seconds, one vehicle after the other."""

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from streambed.events import EmergencyStop as Result
from streambed.events import VehiclePosition
from streambed.oracle.clocked_job import NEVER, ClockedJob
from streambed.oracle.inputs import POSITIONS, milliseconds
from streambed.oracle.outputs import event_in, key_of, version_of
from streambed.oracle.progress import Progress
from streambed.oracle.retention import OutputRetention
from streambed.oracle.set_aside import SetAside
from streambed.oracle.topics import Record, Span, Topics
from streambed.oracle.tracks import Tracks

NULL = math.nan  # in a column of numbers


class Who(NamedTuple):
    operator: int
    vehicle: int
    mode: str
    route: str


class Position(NamedTuple):
    event_ms: int
    speed: float
    latitude: float
    longitude: float
    cell: int
    who: int


class Stop(NamedTuple):
    who: Who
    began_ms: int
    ended_ms: int
    speed_before: float
    speed_after: float
    strongest_deceleration: float
    latitude: float | None
    longitude: float | None
    cell: int | None

    def same_as(self, other: "Stop") -> bool:
        """Equal but for how a quotient was rounded."""
        near = math.isclose(
            self.strongest_deceleration, other.strongest_deceleration, rel_tol=1e-9, abs_tol=1e-12
        )
        return near and self == other._replace(strongest_deceleration=self.strongest_deceleration)


class EmergencyStop(ClockedJob):
    name = "emergency-stop"
    inputs = (POSITIONS,)

    def __init__(
        self,
        progress: Progress,
        set_aside: SetAside,
        retained: Mapping[str, Mapping[int, Span]],
    ) -> None:
        super().__init__(progress, set_aside, retained)
        self.fast = float(self.options.get("fast", 10.0))
        self.slow = float(self.options.get("slow", 1.0))
        self.within = self.option("within", 5_000)
        self.max_gap = self.option("max_gap", 2_000)
        self.reorder = self.option("reorder", 5_000)
        self.patience = self.option("patience", 600_000)
        self._tracks = Tracks("dddQL")
        self._newest: dict[str, int] = {}
        self._numbers: dict[tuple, int] = {}
        self._who: list[Who] = []

    def value_of(self, details: VehiclePosition) -> tuple[float, float, float, int, int]:
        who = details.operator, details.vehicle, details.mode, details.route
        number = self._numbers.get(who)
        if number is None:
            number = self._numbers[who] = len(self._who)
            self._who.append(Who(*who))
        has = details.HasField
        return (
            details.speed if has("speed") else NULL,
            details.latitude if has("latitude") else NULL,
            details.longitude if has("longitude") else NULL,
            details.cell if has("cell") else 0,
            number,
        )

    def count(self, vehicle: str, event_ms: int, value: tuple) -> None:
        if event_ms > self._newest.get(vehicle, -1):
            self._newest[vehicle] = event_ms
        self._tracks.add(vehicle, event_ms, *value)

    def settled_ms(self, vehicle: str) -> float:
        """Up to when the job has worked through a vehicle's positions."""
        if self.max_ms is None:
            return float("-inf")
        newest = self._newest.get(vehicle, float("-inf"))
        return max(newest - self.reorder, self.max_ms - self.patience)

    def why_not_late(self, vehicle: str, event_ms: int, watermark: int) -> str | None:
        settled = self.settled_ms(vehicle)
        if event_ms > settled:
            return f"one at {event_ms}, while the vehicle is settled up to {settled} only"
        return None

    def compare_results(self, topics: Topics, since_ms: float) -> None:
        if self.complete_from == NEVER:
            return
        found, expired_until = self._fold(topics)
        first = max(self.complete_from, since_ms)

        def judged(ended_ms: int) -> bool:
            return ended_ms >= first and ended_ms > expired_until

        comparison = self.comparison
        for key, stop in self._expected():
            _, told = found.pop(key, (0, None))
            if not judged(stop.ended_ms):
                continue
            comparison.compared += 1
            if told is None:
                comparison.differ("missing", key, self._describe(stop), "nothing")
            elif not isinstance(told, Stop) or not stop.same_as(told):
                comparison.differ("wrong", key, self._describe(stop), self._describe(told))
        for key, (_, told) in found.items():
            ended_ms = _ended_in(key)
            if ended_ms is None or judged(ended_ms):
                comparison.compared += 1
                comparison.differ("extra", key, "nothing", self._describe(told))

    def _expected(self) -> Iterator[tuple[str, Stop]]:
        for vehicle, rows in self._tracks.in_order(_larger):
            settled = self.settled_ms(vehicle)
            for stop in self.stops(Position(*row) for row in rows if row[0] <= settled):
                yield f"{vehicle}/{stop.ended_ms}", stop

    def stops(self, positions: Iterator[Position]) -> Iterator[Stop]:
        """Of one vehicle, its positions given in the order of time."""
        run: list[Position] = []
        for position in positions:
            if math.isnan(position.speed):
                run = []
                continue
            if run and position.event_ms - run[-1].event_ms > self.max_gap:
                run = []
            run.append(position)
            if position.speed < self.slow:
                fast = self._newest_fast(run)
                if fast is not None:
                    yield self._stop(run[self._began(run, fast) :])
                    run = [position]

    def _newest_fast(self, run: list[Position]) -> int | None:
        """The index of the newest position that was fast, not too long before the last one."""
        for index in range(len(run) - 2, -1, -1):
            if run[-1].event_ms - run[index].event_ms > self.within:
                return None
            if run[index].speed >= self.fast:
                return index
        return None

    def _began(self, run: list[Position], fast: int) -> int:
        """Where the speeds began to fall that led to the fast position."""
        while (
            fast > 0
            and run[fast - 1].speed > run[fast].speed
            and run[-1].event_ms - run[fast - 1].event_ms <= self.within
        ):
            fast -= 1
        return fast

    def _stop(self, falling: list[Position]) -> Stop:
        first, last = falling[0], falling[-1]
        return Stop(
            self._who[last.who],
            first.event_ms,
            last.event_ms,
            first.speed,
            last.speed,
            max(
                (before.speed - after.speed) / ((after.event_ms - before.event_ms) / 1000)
                for before, after in pairwise(falling)
            ),
            None if math.isnan(last.latitude) else last.latitude,
            None if math.isnan(last.longitude) else last.longitude,
            last.cell or None,
        )

    def _fold(self, topics: Topics) -> tuple[dict[str, tuple[int, Stop | str]], float]:
        """What a reader has of every key, and until when retention may have deleted others."""
        topic = f"analytics.{self.progress.job}"
        spans = topics.retained(topic)
        retention = OutputRetention(spans)
        found: dict[str, tuple[int, Stop | str]] = {}
        for record in topics.read(topic, spans):
            key, version = key_of(record), version_of(record)
            if version is None:
                found[key] = self.progress.version, "a result without a version"
                continue
            if (ended_ms := _ended_in(key)) is not None:
                retention.see(record.partition, version, ended_ms)
            if self.progress.covers(version) and version >= found.get(key, (0, None))[0]:
                found[key] = version, stop_in(record)
        return found, retention.expired_until

    def _describe(self, stop: Stop | str) -> str:
        return stop if isinstance(stop, str) else str(tuple(stop))


def stop_in(record: Record) -> Stop | str:
    """The stop that a record tells, or what is wrong with it."""
    understood = event_in(record, Result)
    if understood is None:
        return "what is no EmergencyStop"
    event, result = understood
    has = result.HasField
    ended_ms = milliseconds(result.ended)
    if not ended_ms == milliseconds(event.event_timestamp) == _ended_in(key_of(record)):
        return "a stop that does not fit its key or its time"
    return Stop(
        Who(result.operator, result.vehicle, result.mode, result.route),
        milliseconds(result.began),
        ended_ms,
        result.speed_before,
        result.speed_after,
        result.strongest_deceleration,
        result.latitude if has("latitude") else None,
        result.longitude if has("longitude") else None,
        result.cell if has("cell") else None,
    )


def _ended_in(key: str) -> int | None:
    ended = key.rpartition("/")[2]
    return int(ended) if ended.isdecimal() else None


def _larger(row: tuple) -> tuple:
    """Of two copies that differ the one with a speed, then the larger in all that it tells."""
    return tuple(-math.inf if value != value else value for value in row)
