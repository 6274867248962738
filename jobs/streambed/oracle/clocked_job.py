"""What all jobs with a clock have in common: which of the consumed records they may count.

The clock goes with everything that was consumed. What the job set aside counts nowhere, and
whether it was set aside rightly is judged as far as the consumed input tells.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from google.protobuf.message import Message

from streambed.events.cells import parent_cell
from streambed.oracle.comparison import Comparison
from streambed.oracle.inputs import Reading
from streambed.oracle.progress import Progress
from streambed.oracle.report import moment
from streambed.oracle.set_aside import Entry, Place, SetAside, key_for
from streambed.oracle.topics import Record, Span, Topics

RESOLUTION = 9

# Records of a partition are out of order by so much at most, as far as completeness goes.
DISORDER_MS = 60_000

NEVER = float("inf")
ALWAYS = float("-inf")


class _Late(NamedTuple):
    place: Place
    vehicle: str
    event_ms: int
    watermark: int


class ClockedJob(ABC):
    name: str
    inputs: tuple[str, ...]

    def __init__(
        self,
        progress: Progress,
        set_aside: SetAside,
        retained: Mapping[str, Mapping[int, Span]],
    ) -> None:
        self.progress = progress
        self.options = progress.options
        self.ends = {topic: progress.ends.get(topic, {}) for topic in self.inputs}
        self.max_ms: int | None = None
        self.comparison = Comparison(progress.job)
        self.parent = lru_cache(maxsize=1 << 16)(self._parent)
        self.resolution = int(self.options.get("resolution", RESOLUTION))
        self._set_aside = set_aside
        self._retained = retained
        self._unmet = dict(set_aside.entries)
        self._late: list[_Late] = []
        # What was wrong with records set aside, with the time that decides whether it is judged.
        self._faults: list[tuple[float, Any]] = []
        # Partitions whose beginning is deleted, until the first record that is left has come.
        self._beginning = {
            (topic, partition)
            for topic, ends in self.ends.items()
            for partition, end in ends.items()
            if end > 0 and retained[topic][partition].truncated
        }
        self._input_complete_from = ALWAYS

    @abstractmethod
    def value_of(self, details: Message) -> Any:
        """What the job makes of a record; None when it does not want it."""

    @abstractmethod
    def count(self, vehicle: str, event_ms: int, value: Any) -> None:
        """A record that counts."""

    @abstractmethod
    def why_not_late(self, vehicle: str, event_ms: int, watermark: int) -> str | None:
        """What shows that a record cannot have been late when it came."""

    @abstractmethod
    def compare_results(self, topics: Topics, since_ms: float) -> None:
        """Hold the job's results against what was counted."""

    def take(self, record: Record, reading: Reading | None) -> None:
        self.comparison.records += 1
        if reading is None:
            self.comparison.undecodable += 1
            return
        entry = None
        if self._unmet:
            entry = self._unmet.pop((record.topic, record.partition, record.offset), None)
            if entry is not None:
                self._check_copy(record, reading, entry)
        if reading.from_the_future:
            self._take_from_the_future(record, reading, entry)
            return
        event_ms = reading.event_ms
        if self.max_ms is None or event_ms > self.max_ms:
            self.max_ms = event_ms
        if self._beginning and (record.topic, record.partition) in self._beginning:
            self._beginning.remove((record.topic, record.partition))
            # What is deleted came before it, though it may itself tell of an earlier time.
            came = max(event_ms, reading.ingestion_ms)
            self._input_complete_from = max(self._input_complete_from, came + DISORDER_MS)
        value = self.value_of(reading.details)
        if entry is not None:
            self._take_late(record, reading, entry, wanted=value is not None)
        elif value is not None:
            self.count(reading.vehicle, event_ms, value)

    @property
    def complete_from(self) -> float:
        """From when on everything that the job consumed and set aside is known here, too."""
        if self._beginning:
            return NEVER
        aside = self._set_aside.complete_from
        return max(self._input_complete_from, ALWAYS if aside is None else aside)

    def compare(self, topics: Topics, since_ms: float = ALWAYS) -> Comparison:
        self._tell_progress(since_ms)
        self._judge_set_aside(since_ms)
        self.compare_results(topics, since_ms)
        return self.comparison

    def option(self, name: str, default: int) -> int:
        return int(self.options.get(name, default))

    def _parent(self, cell: int) -> int | None:
        try:
            return parent_cell(cell, self.resolution)
        except ValueError:  # coarser than asked for, which ingestion never writes
            return None

    def _take_from_the_future(self, record: Record, reading: Reading, entry: Entry | None) -> None:
        self.comparison.future += 1
        when = reading.ingestion_ms
        if entry is None:
            aside = self._set_aside.complete_from
            if aside is None or when >= aside + DISORDER_MS:
                self._fault(when, record, "missing", "to be set aside, from the future", "nothing")
        elif entry.watermark is not None:
            self._fault(when, record, "wrong", "no watermark, being from the future", "one")

    def _take_late(self, record: Record, reading: Reading, entry: Entry, *, wanted: bool) -> None:
        when = reading.event_ms
        if entry.watermark is None:
            self._fault(when, record, "extra", "nothing", "set aside as from the future")
        elif not wanted:
            self._fault(when, record, "extra", "nothing, as the job ignores it", "set aside")
        else:
            place = record.topic, record.partition, record.offset
            self._late.append(_Late(place, reading.vehicle, when, entry.watermark))
        self.comparison.late += 1

    def _check_copy(self, record: Record, reading: Reading, entry: Entry) -> None:
        if (entry.event_ms, entry.copy) != (reading.event_ms, hash(reading.event.details.value)):
            self._fault(reading.event_ms, record, "wrong", "the record as it came", "another")

    def _fault(self, when: float, record: Record, kind: str, expected: str, found: str) -> None:
        key = key_for(self.progress.job, (record.topic, record.partition, record.offset))
        self._faults.append((when, (kind, key, expected, found)))

    def _judge_set_aside(self, since_ms: float) -> None:
        differ, job = self.comparison.differ, self.progress.job
        for when, fault in self._faults:
            if when >= since_ms:
                differ(*fault)
        for key, fault in self._set_aside.faults:
            differ("wrong", key, "a late record of this job", fault)
        for late in self._late:
            why = self.why_not_late(late.vehicle, late.event_ms, late.watermark)
            if why and late.event_ms >= since_ms:
                differ("wrong", key_for(job, late.place), "a late record", why)
        for topic, partition, offset in self._unmet:
            span = self._retained.get(topic, {}).get(partition)
            if topic not in self.ends or span is None or offset >= span.earliest:
                key = key_for(job, (topic, partition, offset))
                differ("extra", key, "nothing", "set aside, though the job did not consume it")

    def _tell_progress(self, since_ms: float) -> None:
        progress, notes = self.progress, self.comparison.notes
        behind = sum(
            span.end - ends.get(partition, 0)
            for topic, ends in self.ends.items()
            for partition, span in self._retained[topic].items()
        )
        came = "nothing yet" if self.max_ms is None else moment(self.max_ms)
        notes.append(
            f"batch {progress.batch} of generation {progress.generation}, input up to {came},"
            f" {behind} records behind"
        )
        if self.complete_from == NEVER:
            notes.append("nothing to judge: of a partition nothing that it consumed is retained")
        elif (first := max(self.complete_from, since_ms)) != ALWAYS:
            notes.append(f"judged from {moment(first)} on")
