"""Windows: who speaks when, what counts, what is late, and what is remembered."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from streambed.analytics.windows import (
    EARLY,
    LATE,
    ON_TIME,
    Every,
    Group,
    Newest,
    Record,
    Tick,
    Windows,
)

# Windows of 30 s, every 5 s; the watermark is 10 s behind, and a minute of lateness is allowed.
WINDOWS = Windows(
    size_ms=30_000,
    slide_ms=5_000,
    bound_ms=10_000,
    lateness_ms=60_000,
    early_ms=0,
    summary=Newest(),
)
START = 1_000_000_000  # a multiple of everything


def said(second: float, cell: int, vehicle: str = "v") -> Record:
    return Record(vehicle, START + round(second * 1000), (cell,))


class Job:
    """Feeds batches to one group, as the operator would."""

    def __init__(self, windows: Windows = WINDOWS) -> None:
        self.windows, self.group, self.watermark_ms = windows, Group(), 0

    def batch(self, *records: Record, until: float | None = None):
        newest = max([r.event_ms for r in records] + [START + round((until or 0) * 1000)])
        tick = Tick(newest, frozenset(r.event_ms for r in records))
        spoken = self.windows.step(self.group, records, tick, self.watermark_ms)
        self.watermark_ms = max(self.watermark_ms, newest - self.windows.bound_ms)
        self.late = spoken.late
        return {
            ((pane.end_ms - START) / 1000, pane.row): (pane.kind, pane.count)
            for pane in spoken.panes
        }


def test_a_window_speaks_when_the_watermark_passes_its_end():
    job = Job()
    assert job.batch(said(1, cell=7), until=14.999) == {}
    panes = job.batch(until=15)
    assert panes == {(5, (7, True)): (ON_TIME, 1)}


def test_a_vehicle_counts_where_it_was_last_and_not_where_it_was_before():
    job = Job()
    job.batch(said(1, cell=7), said(4, cell=8))
    panes = job.batch(until=15)
    assert panes == {(5, (8, True)): (ON_TIME, 1), (5, (7, False)): (ON_TIME, 1)}


def test_the_order_of_arrival_makes_no_difference():
    there, back = Job(), Job()
    records = [said(second, cell=second % 3) for second in range(5)]
    there.batch(*records)
    back.batch(*reversed(records))
    assert there.batch(until=60) == back.batch(until=60)


def test_copies_count_once():
    job = Job()
    job.batch(said(1, cell=7), said(1, cell=7))
    job.batch(said(1, cell=7))
    assert job.batch(until=15) == {(5, (7, True)): (ON_TIME, 1)}


def test_a_record_behind_the_watermark_refines_the_windows_it_is_in():
    job = Job()
    job.batch(said(1, cell=7))
    job.batch(until=15)
    panes = job.batch(said(2, cell=8))
    assert panes[5, (8, True)] == (LATE, 1)
    assert panes[5, (7, False)] == (LATE, 1)
    assert not job.late


def test_a_record_whose_first_window_has_closed_is_late_and_counts_nowhere():
    job = Job()
    job.batch(said(1, cell=7))
    job.batch(until=5 + 60 + 10)  # the watermark is where the first window closes for good
    panes = job.batch(said(2, cell=8))
    assert [record.value for record in job.late] == [(8,)]
    assert not any(row[0] == 8 for _, row in panes)


def test_windows_speak_early_each_time_the_interval_has_passed():
    windows = Windows(**{**vars(WINDOWS), "early_ms": 10_000})
    job = Job(windows)
    assert set(job.batch(said(1, cell=7)).values()) == {(EARLY, 1)}
    assert job.batch(said(9, cell=7)) == {}
    assert set(job.batch(said(10, cell=7)).values()) == {(EARLY, 1)}


def test_every_arrival_counts():
    windows = Windows(**{**vars(WINDOWS), "summary": Every()})
    job = Job(windows)
    job.batch(said(1, cell=7), said(2, cell=7), said(2, cell=7, vehicle="w"))
    assert job.batch(until=15) == {(5, (7,)): (ON_TIME, 3)}


def test_state_is_forgotten_with_the_last_window_that_needs_it():
    job = Job()
    job.batch(said(1, cell=7))
    job.batch(until=30 + 60 + 10)
    assert job.group.vehicles == {}
    assert job.group.slices == set()


records = st.lists(
    st.tuples(st.integers(0, 200), st.integers(1, 3), st.sampled_from("vw")), min_size=1
)


@settings(max_examples=100, deadline=None)
@given(said_=records, seed=st.integers(0, 1000), batches=st.integers(1, 8))
def test_the_last_pane_of_every_window_is_what_a_look_at_all_records_gives(said_, seed, batches):
    """However they come and however they are divided into batches, as long as none is late."""
    windows = Windows(**{**vars(WINDOWS), "lateness_ms": 300_000, "early_ms": 7_000})
    shuffled = [said(second, cell, vehicle) for second, cell, vehicle in said_]
    random.Random(seed).shuffle(shuffled)
    job, found = Job(windows), {}
    for part in range(batches):
        for (end, row), (_, count) in job.batch(*shuffled[part::batches]).items():
            found[end, row] = count
        ends = {end for end, _ in found}
        assert not job.late
        assert ends
    for (end, row), (_, count) in job.batch(until=260).items():
        found[end, row] = count

    newest: dict[tuple[float, str], tuple[int, int]] = {}
    for second, cell, vehicle in said_:
        for end in range((second // 5 + 1) * 5, (second // 5) * 5 + 31, 5):
            newest[end, vehicle] = max(newest.get((end, vehicle), (-1, -1)), (second, cell))
    expected: dict[tuple[float, int], int] = {}
    for (end, _), (_, cell) in newest.items():
        expected[end, cell] = expected.get((end, cell), 0) + 1
    told = {}
    for (end, (cell, is_newest)), count in found.items():
        if is_newest:
            told[end, cell] = count
    for key, count in expected.items():
        assert told[key] == count
