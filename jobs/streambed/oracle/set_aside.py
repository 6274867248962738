"""What jobs set aside: the topic of late records and of those from the future."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from streambed.events import LateRecord
from streambed.oracle.inputs import milliseconds
from streambed.oracle.outputs import event_in, key_of, version_of
from streambed.oracle.progress import Progress
from streambed.oracle.topics import Record, Topics

TOPIC = "analytics.late"

Place = tuple[str, int, int]  # topic, partition, offset


class Entry(NamedTuple):
    version: int
    watermark: int | None  # None: from the future
    event_ms: int
    copy: int  # a hash of the details that were kept


@dataclass
class SetAside:
    """One job's entries, the newest of each record."""

    entries: dict[Place, Entry] = field(default_factory=dict)
    # Retention may have deleted entries of records before this time.
    complete_from: int | None = None
    faults: list[tuple[str, str]] = field(default_factory=list)  # key, what is wrong with it

    def add(self, place: Place, entry: Entry) -> None:
        known = self.entries.get(place)
        if known is None or entry.version >= known.version:
            self.entries[place] = entry


def key_for(job: str, place: Place) -> str:
    topic, partition, offset = place
    return f"{job}/{topic}/{partition}/{offset}"


def read_set_aside(topics: Topics, progresses: Iterable[Progress]) -> dict[str, SetAside]:
    """Every job's entries up to its newest commit."""
    by_job = {progress.job: progress for progress in progresses}
    set_aside = {job: SetAside() for job in by_job}
    spans = topics.retained(TOPIC)
    truncated = {partition for partition, span in spans.items() if span.truncated}
    first_retained: dict[tuple[int, str], int] = {}
    for record, late, event_ms in _late_records(topics, set_aside):
        if record.partition in truncated and late.HasField("watermark"):
            first_retained.setdefault((record.partition, late.job), milliseconds(late.watermark))
        progress, version = by_job.get(late.job), version_of(record)
        if progress is None:
            continue
        aside, key = set_aside[late.job], key_of(record)
        place = late.topic, late.partition, late.offset
        if version is None:
            aside.faults.append((key, "a record without a version"))
        elif progress.covers(version):
            if key != key_for(late.job, place):
                aside.faults.append((key, f"a record about {key_for(late.job, place)}"))
            watermark = milliseconds(late.watermark) if late.HasField("watermark") else None
            copy = hash(late.record.details.value)
            aside.add(place, Entry(version, watermark, event_ms, copy))
    for job, aside in set_aside.items():
        aside.complete_from = _complete_from(job, truncated, first_retained)
    return set_aside


def _late_records(
    topics: Topics, set_aside: dict[str, SetAside]
) -> Iterator[tuple[Record, LateRecord, int]]:
    for record in topics.read(TOPIC, topics.retained(TOPIC)):
        understood = event_in(record, LateRecord)
        if understood is not None:
            event, late = understood
            yield record, late, milliseconds(event.event_timestamp)
        elif (job := key_of(record).partition("/")[0]) in set_aside:
            set_aside[job].faults.append((key_of(record), "what is no late record"))


def _complete_from(
    job: str, truncated: set[int], first_retained: dict[tuple[int, str], int]
) -> int | None:
    """Whatever retention deleted of a partition was written before what is first there now, and so
    was older than the watermark that this one tells. Where the job has none left, those of others
    tell about the same time."""
    times = []
    for partition in truncated:
        mine = first_retained.get((partition, job))
        others = [ms for (number, _), ms in first_retained.items() if number == partition]
        if mine is not None or others:
            times.append(mine if mine is not None else max(others))
    return max(times, default=None)
