"""What all window jobs have in common: which windows are judged, and how they are compared."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any

from google.protobuf.message import Message

from streambed.events import Pane
from streambed.oracle.clocked_job import ALWAYS, NEVER, ClockedJob
from streambed.oracle.fold import Fold, Row
from streambed.oracle.inputs import milliseconds
from streambed.oracle.outputs import event_in, key_of
from streambed.oracle.progress import Progress
from streambed.oracle.set_aside import SetAside
from streambed.oracle.topics import Record, Span, Topics
from streambed.oracle.windows import Judged, Windows

BOUND_MS = 9_500
LATENESS_MS = 60_000
SLIDE_MS = 5_000

# Cell -> value; the cell None is final-stop's unknown. None: the window cannot be judged.
Values = dict[int | None, Any] | None
FINAL = (Pane.ON_TIME, Pane.LATE)


class Unreadable(str):
    """In place of a value: what is wrong with a result."""


class WindowJob(ClockedJob):
    size_ms: int
    result: type[Message]

    def __init__(
        self,
        progress: Progress,
        set_aside: SetAside,
        retained: Mapping[str, Mapping[int, Span]],
    ) -> None:
        super().__init__(progress, set_aside, retained)
        self.windows = Windows(self.option("size", self.size_ms), self.option("slide", SLIDE_MS))
        self.bound = self.option("bound", BOUND_MS)
        self.lateness = self.option("lateness", LATENESS_MS)

    @abstractmethod
    def expected(self, judged: Judged) -> Iterator[tuple[int, Values]]:
        """For every judged window that a record is in: its end, and what each cell must tell."""

    @abstractmethod
    def value_in(self, result: Message) -> Any:
        """What a result tells about its cell."""

    @abstractmethod
    def counts(self, value: Any) -> bool:
        """Whether a value is more than zero; a zero may be there or not."""

    def describe(self, value: Any) -> str:
        return str(value)

    @property
    def watermark(self) -> float:
        return ALWAYS if self.max_ms is None else self.max_ms - self.bound

    def why_not_late(self, vehicle: str, event_ms: int, watermark: int) -> str | None:
        closed = self.windows.first_end(event_ms) + self.lateness
        if watermark > self.watermark:
            return f"a watermark of {watermark}, while the input reaches {self.watermark} only"
        if closed > watermark:
            return f"a watermark of {watermark}, before its window closed at {closed}"
        return None

    def compare_results(self, topics: Topics, since_ms: float) -> None:
        judged = Judged(max(self.complete_from, since_ms), self.watermark)
        if self.complete_from == NEVER:
            return
        fold = Fold(self, judged)
        fold.read(topics)
        unsure = 0
        for end, values in self.expected(judged):
            rows = fold.rows.pop(end, {})
            if end <= fold.expired_until:
                continue
            if values is None:
                unsure += 1
                continue
            self._compare_window(end, values, rows)
        for end in sorted(fold.rows):
            if end > fold.expired_until:
                self._compare_window(end, {}, fold.rows[end])
        for key, fault in fold.faults:
            self.comparison.differ("extra", key, "nothing", fault)
        if unsure:
            self.comparison.notes.append(f"{unsure} windows not judged, their past is deleted")

    def _compare_window(self, end: int, values: dict, rows: dict[int | None, Row]) -> None:
        comparison = self.comparison
        for cell, value in values.items():
            if not self.counts(value):
                continue
            comparison.compared += 1
            row = rows.get(cell)
            if row is None:
                comparison.differ("missing", key_text(end, cell), self.describe(value), "nothing")
            elif row.value != value:
                found = self._describe_found(row.value)
                comparison.differ("wrong", key_text(end, cell), self.describe(value), found)
            elif row.pane not in FINAL:
                pane = f"a pane {Pane.Kind.Name(row.pane)}"
                comparison.differ("wrong", key_text(end, cell), "a pane ON_TIME or LATE", pane)
        for cell, row in rows.items():
            if cell in values and self.counts(values[cell]):
                continue
            if isinstance(row.value, Unreadable) or self.counts(row.value):
                comparison.compared += 1
                found = self._describe_found(row.value)
                comparison.differ("extra", key_text(end, cell), "nothing", found)

    def _describe_found(self, value: Any) -> str:
        return str(value) if isinstance(value, Unreadable) else self.describe(value)

    def row_in(self, record: Record, end: int, cell: int | None, version: int) -> Row:
        """The result in a record, which must agree with the record's key and version."""
        understood = event_in(record, self.result)
        if understood is None:
            return Row(version, 0, Unreadable(f"what is no {self.result.DESCRIPTOR.name}"))
        event, result = understood
        told = (
            milliseconds(result.window.start),
            milliseconds(result.window.end),
            milliseconds(event.event_timestamp),
            result.cell if _has_cell(result) else None,
            result.pane.version,
        )
        if told != (end - self.windows.size, end, end, cell, version):
            fault = Unreadable(f"a result that does not fit its key or version, {key_of(record)}")
            return Row(version, result.pane.kind, fault)
        return Row(version, result.pane.kind, self.value_in(result))


def key_text(end: int, cell: int | None) -> str:
    return f"{end}/{'unknown' if cell is None else f'{cell:015x}'}"


def _has_cell(result: Message) -> bool:
    return not result.DESCRIPTOR.fields_by_name["cell"].has_presence or result.HasField("cell")
