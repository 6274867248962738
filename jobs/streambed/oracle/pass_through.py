"""Every record as it came: what is kept of it here is a hash, and whether its copy was found."""

from array import array
from bisect import bisect_left
from collections.abc import Mapping
from typing import NamedTuple

from streambed.oracle.comparison import Comparison
from streambed.oracle.inputs import POSITIONS, Reading
from streambed.oracle.outputs import key_of
from streambed.oracle.progress import Progress
from streambed.oracle.report import moment
from streambed.oracle.set_aside import SetAside
from streambed.oracle.topics import Record, Span, Topics

MISSING, RIGHT, WRONG = range(3)


class _Consumed:
    """One partition's records in columns."""

    def __init__(self) -> None:
        self.offsets = array("q")
        self.hashes = array("q")
        self.times = array("q")
        self.found = bytearray()

    def add(self, offset: int, value: bytes | None, event_ms: int) -> None:
        self.offsets.append(offset)
        self.hashes.append(hash(value))
        self.times.append(event_ms)
        self.found.append(MISSING)

    def index_of(self, offset: int) -> int | None:
        index = bisect_left(self.offsets, offset)
        there = index < len(self.offsets) and self.offsets[index] == offset
        return index if there else None


class _Origin(NamedTuple):
    partition: int
    offset: int


class PassThrough:
    name = "pass-through"
    inputs = (POSITIONS,)

    def __init__(
        self,
        progress: Progress,
        set_aside: SetAside,
        retained: Mapping[str, Mapping[int, Span]],
    ) -> None:
        self.progress = progress
        self.ends = {topic: progress.ends.get(topic, {}) for topic in self.inputs}
        self.comparison = Comparison(progress.job)
        self._retained = retained[POSITIONS]
        self._consumed: dict[int, _Consumed] = {}
        # By partition of the output and of the input: the first copy that is retained.
        self._first_copies: dict[tuple[int, int], int] = {}

    def take(self, record: Record, reading: Reading | None) -> None:
        self.comparison.records += 1
        if reading is None:
            self.comparison.undecodable += 1
        event_ms = record.timestamp_ms if reading is None else reading.event_ms
        consumed = self._consumed.get(record.partition)
        if consumed is None:
            consumed = self._consumed[record.partition] = _Consumed()
        consumed.add(record.offset, record.value, event_ms)

    def compare(self, topics: Topics, since_ms: float = float("-inf")) -> Comparison:
        self._tell_progress(since_ms)
        topic = f"analytics.{self.progress.job}"
        spans = topics.retained(topic)
        for record in topics.read(topic, spans):
            self._take_copy(record, truncated=spans[record.partition].truncated)
        truncated = [partition for partition, span in spans.items() if span.truncated]
        for partition, consumed in self._consumed.items():
            first = max((self._first_copy(out, partition) for out in truncated), default=0)
            self._judge(partition, consumed, since_ms, first)
        return self.comparison

    def _take_copy(self, record: Record, *, truncated: bool) -> None:
        origin = _origin(key_of(record))
        consumed = self._consumed.get(origin.partition) if origin else None
        span = self._retained.get(origin.partition) if origin else None
        if origin is None or span is None:
            self._extra(record, "a copy of a record that cannot be")
            return
        if truncated:
            self._first_copies.setdefault((record.partition, origin.partition), origin.offset)
        end = self.ends[POSITIONS].get(origin.partition, 0)
        if not span.earliest <= origin.offset < end:
            return  # deleted by now, or consumed since the newest commit
        index = consumed.index_of(origin.offset) if consumed else None
        if index is None:
            self._extra(record, "a copy of a record that is not there")
        else:
            right = consumed.hashes[index] == hash(record.value)
            consumed.found[index] = RIGHT if right else WRONG

    def _first_copy(self, output: int, partition: int) -> int:
        """Copies are written in the order of their origins: only earlier ones can have expired."""
        end = self.ends[POSITIONS].get(partition, 0)
        return self._first_copies.get((output, partition), end)

    def _judge(self, partition: int, consumed: _Consumed, since_ms: float, first: int) -> None:
        for offset, event_ms, state in zip(consumed.offsets, consumed.times, consumed.found):
            if event_ms < since_ms or (state == MISSING and offset < first):
                continue
            self.comparison.compared += 1
            if state != RIGHT:
                key = f"{POSITIONS}/{partition}/{offset}"
                kind, found = ("missing", "nothing") if state == MISSING else ("wrong", "another")
                self.comparison.differ(kind, key, "the record as it came", found)

    def _extra(self, record: Record, found: str) -> None:
        self.comparison.compared += 1
        self.comparison.differ("extra", key_of(record), "nothing", found)

    def _tell_progress(self, since_ms: float) -> None:
        ends = self.ends[POSITIONS]
        behind = sum(span.end - ends.get(number, 0) for number, span in self._retained.items())
        self.comparison.notes.append(
            f"batch {self.progress.batch} of generation {self.progress.generation},"
            f" {behind} records behind"
        )
        if since_ms != float("-inf"):
            self.comparison.notes.append(f"judged from {moment(since_ms)} on")


def _origin(key: str) -> _Origin | None:
    topic, _, place = key.partition("/")
    partition, _, offset = place.partition("/")
    if topic != POSITIONS or not partition.isdecimal() or not offset.isdecimal():
        return None
    return _Origin(int(partition), int(offset))
