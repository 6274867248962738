"""A window job's results as a reader has them: of every key the newest version."""

from typing import TYPE_CHECKING, Any, NamedTuple

from streambed.oracle.outputs import key_of, version_of
from streambed.oracle.retention import OutputRetention
from streambed.oracle.topics import Record, Topics
from streambed.oracle.windows import Judged

if TYPE_CHECKING:
    from streambed.oracle.window_job import WindowJob


class Row(NamedTuple):
    version: int
    pane: int
    value: Any


class Fold:
    """`rows` has, by window's end and by cell, what the job last said of judged windows."""

    def __init__(self, job: "WindowJob", judged: Judged) -> None:
        self.rows: dict[int, dict[int | None, Row]] = {}
        self.faults: list[tuple[str, str]] = []
        self.expired_until: float = float("-inf")
        self._job = job
        self._judged = judged
        # Most rows are like another: one object for all of them.
        self._same: dict[Row, Row] = {}
        self._cells: dict[str, int | None] = {}

    def read(self, topics: Topics) -> None:
        topic = f"analytics.{self._job.progress.job}"
        spans = topics.retained(topic)
        retention = OutputRetention(spans)
        for record in topics.read(topic, spans):
            version = version_of(record)
            if version is None:
                self.faults.append((key_of(record), "a result without a version"))
            elif (key := self._key(record)) is None:
                self.faults.append((key_of(record), "a key that this job does not have"))
            else:
                end, cell = key
                retention.see(record.partition, version, end)
                if self._job.progress.covers(version):
                    self._take(record, version, end, cell)
        self.expired_until = retention.expired_until

    def _take(self, record: Record, version: int, end: int, cell: int | None) -> None:
        if not self._judged.holds(end - self._job.windows.size, end):
            return
        rows = self.rows.setdefault(end, {})
        known = rows.get(cell)
        if known is None or version >= known.version:
            row = self._job.row_in(record, end, cell, version)
            rows[cell] = self._same.setdefault(row, row)

    def _key(self, record: Record) -> tuple[int, int | None] | None:
        end, _, cell = key_of(record).partition("/")
        try:
            if cell not in self._cells:
                self._cells[cell] = None if cell == "unknown" else int(cell, 16)
            return int(end), self._cells[cell]
        except ValueError:
            return None
