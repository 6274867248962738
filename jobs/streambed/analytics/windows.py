"""Sliding windows over what vehicles said, kept as slices: plain Python, one group of vehicles.

A window is a row of slices, each as long as the slide, so a record is kept once however many
windows it is in. The value of a window is a function of the records in it, whatever their order:
a slice keeps its records while more may come (`warm`), then only their summary (`cold`), and is
forgotten with the last window it belongs to.

All groups of a job are told the same watermark and the same newest time, so they agree, without
talking, on which windows speak in a batch and as what. Of a window that speaks early or on time a
group tells all it has; of one that is refined by late records, only the differences: whoever puts
the groups' words together (panes.py) knows what the window held, and is told once if it does not.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

EARLY, ON_TIME, LATE = "EARLY", "ON_TIME", "LATE"
# What a closed window holds, for a listener that has not heard it.
HELD = "HELD"

Value = tuple[Hashable, ...]
Row = tuple[Hashable, ...]


class Record(NamedTuple):
    """What one vehicle said at one time. `origin` has the record as it came, if it is late."""

    vehicle: str
    event_ms: int
    value: Value
    origin: Any = None


class Summary(Protocol):
    """What a job wants to know of the records of a window, vehicle by vehicle.

    What it makes of a slice is kept in state, which outlives the job's code: plain tuples, numbers,
    texts and dicts, and no classes of its own.
    """

    def of_slice(self, records: Sequence[tuple[int, Value]]) -> Any:
        """All that windows need of a slice; the records are in order of time."""

    def of_window(self, end_ms: int, before: Sequence[Any], inside: Sequence[Any]) -> Iterable[Row]:
        """A vehicle's rows in a window, from its slices before and inside it."""

    def keep(self, memory: dict, first: Any, then: Any | None) -> None:
        """A slice is forgotten: remember what outlives windows. `then` is the one after it."""

    def of_memory(self, end_ms: int, memory: dict) -> Iterable[Row]:
        """Rows that come from what was kept."""


class Pane(NamedTuple):
    """A window, by its end, and as what it speaks."""

    end_ms: int
    kind: str


@dataclass
class Vehicle:
    warm: dict[int, dict[int, Value]] = field(default_factory=dict)
    cold: dict[int, Any] = field(default_factory=dict)

    def __reduce__(self):  # as a plain tuple: thousands of these are written in every batch
        return Vehicle, (self.warm, self.cold)


@dataclass
class Group:
    """The state of one group of vehicles."""

    vehicles: dict[str, Vehicle] = field(default_factory=dict)
    slices: set[int] = field(default_factory=set)  # that any vehicle of the group has
    memory: dict = field(default_factory=dict)
    listener: str = ""  # who has heard what closed windows hold


class Spoken(NamedTuple):
    """Rows of windows with how many vehicles gave each; differences where the pane is LATE."""

    panes: dict[Pane, Counter[Row]]
    late: list[Record]


@dataclass(frozen=True)
class Windows:
    size_ms: int
    slide_ms: int
    bound_ms: int
    lateness_ms: int
    early_ms: int  # 0: no early panes
    summary: Summary

    def step(
        self,
        group: Group,
        records: Sequence[Record],
        newest_ms: int,
        watermark_ms: int,
        listener: str = "",
    ) -> Spoken:
        """Take a batch in; say what its windows say now.

        `newest_ms` is how far time came in the batch, in all groups; the watermark that before it.
        """
        panes = {}
        if group.listener != listener:
            group.listener = listener
            panes |= self._panes(group, self._refinable(group.slices, watermark_ms))
        refined = self._refined(records, watermark_ms)
        before = self._told_by(group, refined)
        late = self._take(group, records, watermark_ms)
        panes |= _differences(before, self._told_by(group, refined))
        after_ms = self.watermark_after(newest_ms, watermark_ms)
        panes |= self._panes(group, self._speaking(group.slices, newest_ms, watermark_ms))
        self._age(group, after_ms)
        return Spoken(panes, late)

    def watermark_after(self, newest_ms: int, watermark_ms: int) -> int:
        return max(watermark_ms, newest_ms - self.bound_ms)

    def is_late(self, event_ms: int, watermark_ms: int) -> bool:
        """Whether the first window of that time has closed for good."""
        first_end = (event_ms // self.slide_ms + 1) * self.slide_ms
        return first_end + self.lateness_ms <= watermark_ms

    def _speaking(self, slices: Iterable[int], newest_ms: int, before_ms: int) -> set[Pane]:
        """Which windows speak in a batch because time has come so far."""
        after_ms = self.watermark_after(newest_ms, before_ms)
        panes = set()
        for end in {end for number in slices for end in self._ends(number)}:
            if before_ms < end <= after_ms:
                panes.add(Pane(end, ON_TIME))
            elif end > after_ms and self._is_time_for_an_early_pane(end, newest_ms, before_ms):
                panes.add(Pane(end, EARLY))
        return panes

    def _is_time_for_an_early_pane(self, end: int, newest_ms: int, watermark_ms: int) -> bool:
        """Whether one more `early_ms` of the window's own time has passed, up to all of it."""
        if not self.early_ms:
            return False
        start, newest_before_ms = end - self.size_ms, watermark_ms + self.bound_ms
        passed = (min(newest_ms, end) - start) // self.early_ms
        return passed > max(0, (min(newest_before_ms, end) - start) // self.early_ms)

    def _refinable(self, slices: Iterable[int], watermark_ms: int) -> set[Pane]:
        """Windows that have spoken on time and may still be refined."""
        ends = {end for number in slices for end in self._ends(number)}
        return {Pane(end, HELD) for end in ends if end <= watermark_ms < end + self.lateness_ms}

    def _refined(self, records: Iterable[Record], watermark_ms: int) -> dict[str, set[int]]:
        """Vehicles that say something new of closed windows, and of which."""
        refined: dict[str, set[int]] = {}
        for record in records:
            number = record.event_ms // self.slide_ms
            if (number + 1) * self.slide_ms <= watermark_ms:
                ends = {end for end in self._ends(number) if end <= watermark_ms}
                refined.setdefault(record.vehicle, set()).update(ends)
        return refined

    def _ends(self, number: int) -> range:
        """Ends of the windows that a slice belongs to."""
        start = number * self.slide_ms
        return range(start + self.slide_ms, start + self.size_ms + 1, self.slide_ms)

    def _take(self, group: Group, records: Iterable[Record], watermark_ms: int) -> list[Record]:
        late = []
        slide_ms, vehicles = self.slide_ms, group.vehicles
        for record in records:
            name, event_ms, value, _ = record
            if self.is_late(event_ms, watermark_ms):
                late.append(record)
                continue
            vehicle = vehicles.get(name)
            if vehicle is None:
                vehicle = vehicles[name] = Vehicle()
            number = event_ms // slide_ms
            said = vehicle.warm.get(number)
            if said is None:
                said = vehicle.warm[number] = {}
                group.slices.add(number)
            if event_ms not in said or larger(value, said[event_ms]):
                said[event_ms] = value
        return late

    def _panes(self, group: Group, panes: set[Pane]) -> dict[Pane, Counter[Row]]:
        """All that a group has of these windows."""
        kinds = {pane.end_ms: pane for pane in panes}
        told: dict[Pane, Counter[Row]] = {pane: Counter() for pane in panes}
        if panes:
            for vehicle in group.vehicles.values():
                for end, rows in self._rows(vehicle, kinds):
                    told[kinds[end]].update(rows)
        for pane, rows in told.items():
            rows.update(self.summary.of_memory(pane.end_ms, group.memory))
        return told

    def _told_by(self, group: Group, refined: dict[str, set[int]]) -> dict[int, Counter[Row]]:
        """What some vehicles say of some windows."""
        told: dict[int, Counter[Row]] = {}
        for name, ends in refined.items():
            for end, rows in self._rows(group.vehicles.get(name, Vehicle()), ends):
                told.setdefault(end, Counter()).update(rows)
        return told

    def _rows(self, vehicle: Vehicle, ends: Iterable[int]) -> Iterator[tuple[int, Iterable[Row]]]:
        summaries = dict(vehicle.cold)
        for number, said in vehicle.warm.items():
            summaries[number] = self.summary.of_slice(sorted(said.items()))
        numbers = sorted(summaries)
        ordered = [summaries[number] for number in numbers]
        for end in ends:
            start = bisect_left(numbers, (end - self.size_ms) // self.slide_ms)
            stop = bisect_left(numbers, end // self.slide_ms)
            if stop:
                yield end, self.summary.of_window(end, ordered[:start], ordered[start:stop])

    def _age(self, group: Group, watermark_ms: int) -> None:
        """Summarise what can no longer change, and forget what no window needs."""
        slide_ms, lateness_ms = self.slide_ms, self.lateness_ms
        frozen = (watermark_ms - lateness_ms) // slide_ms  # slices below it take nothing more in
        gone = (watermark_ms - lateness_ms - self.size_ms) // slide_ms + 1
        for name in list(group.vehicles):
            vehicle = group.vehicles[name]
            for number in [number for number in vehicle.warm if number < frozen]:
                said = vehicle.warm.pop(number)
                vehicle.cold[number] = self.summary.of_slice(sorted(said.items()))
            if vehicle.cold and min(vehicle.cold) < gone:
                self._forget(group, vehicle, gone)
                if not vehicle.cold and not vehicle.warm:
                    del group.vehicles[name]
        group.slices = {number for number in group.slices if number >= gone}

    def _forget(self, group: Group, vehicle: Vehicle, gone: int) -> None:
        numbers = sorted(vehicle.cold)
        for place, number in enumerate(numbers):
            if number >= gone:
                break
            then = numbers[place + 1] if place + 1 < len(numbers) else None
            self.summary.keep(
                group.memory, vehicle.cold[number], None if then is None else vehicle.cold[then]
            )
        for number in numbers[:place] if numbers[place] >= gone else numbers:
            del vehicle.cold[number]


def _differences(
    before: dict[int, Counter[Row]], after: dict[int, Counter[Row]]
) -> dict[Pane, Counter[Row]]:
    differences = {}
    for end, rows in after.items():
        rows.subtract(before.get(end, Counter()))
        if changed := Counter({row: count for row, count in rows.items() if count}):
            differences[Pane(end, LATE)] = changed
    return differences


class _NothingOutlivesWindows:
    def keep(self, memory: dict, first: Any, then: Any | None) -> None:
        pass

    def of_memory(self, end_ms: int, memory: dict) -> Iterable[Row]:
        return ()


class Newest(_NothingOutlivesWindows):
    """What a vehicle said last. Rows are its different values, each with whether it is the newest.

    The others are told as well, because an earlier pane may have counted them: a reader who keeps
    the newest result of every key must hear that there is nothing any more.
    """

    def of_slice(self, records: Sequence[tuple[int, Value]]) -> dict[Value, int]:
        return {value: event_ms for event_ms, value in records}

    def of_window(self, end_ms: int, before: Sequence[dict], inside: Sequence[dict]) -> list[Row]:
        if not inside:
            return []
        last = max((event_ms, value) for value, event_ms in inside[-1].items())[1]
        values = set().union(*inside)
        return [(*value, value == last) for value in values]


class Every(_NothingOutlivesWindows):
    """Every different time a vehicle spoke. Rows are the values as they are."""

    def of_slice(self, records: Sequence[tuple[int, Value]]) -> tuple[Value, ...]:
        return tuple(value for _, value in records)

    def of_window(self, end_ms: int, before: Sequence[tuple], inside: Sequence[tuple]) -> list[Row]:
        return [value for values in inside for value in values]


def larger(one: Value, other: Value) -> bool:
    """Of two things said by one vehicle at one time the larger counts; nothing is the smallest."""
    return [(part is not None, part) for part in one] > [(part is not None, part) for part in other]
