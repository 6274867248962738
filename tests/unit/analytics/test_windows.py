"""Windows: who speaks when, what counts, what is late, and what is remembered."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from streambed.analytics.panes import Panes
from streambed.analytics.windows import (
    EARLY,
    LATE,
    ON_TIME,
    Every,
    Group,
    Newest,
    Record,
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
    """Feeds batches to groups, as the operator would, and puts together what they say."""

    def __init__(self, windows: Windows = WINDOWS, groups: int = 1) -> None:
        self.windows, self.watermark_ms, self.late = windows, 0, []
        self.groups = [Group() for _ in range(groups)]
        self.starts = 0
        self.start_again()

    def start_again(self) -> None:
        """The driver is another; the state is as it was."""
        self.starts += 1
        self.panes = Panes(lateness_ms=self.windows.lateness_ms, part=0)

    def batch(self, *records: Record, until: float | None = None):
        newest_ms = max([r.event_ms for r in records] + [START + round((until or 0) * 1000)])
        told, self.late = [], []
        for number, group in enumerate(self.groups):
            own = [r for r in records if ord(r.vehicle) % len(self.groups) == number]
            spoken = self.windows.step(group, own, newest_ms, self.watermark_ms, str(self.starts))
            told.append(spoken.panes)
            self.late += spoken.late
        self.watermark_ms = self.windows.watermark_after(newest_ms, self.watermark_ms)
        kinds, rows = self.panes.put_together(told, self.watermark_ms)
        return {
            ((end_ms - START) / 1000, tuple(row)): (kinds[end_ms], count)
            for end_ms, *row, count in rows
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


def test_a_refinement_says_again_what_changed_and_nothing_else():
    job = Job(groups=2)
    job.batch(said(1, cell=7), said(1, cell=7, vehicle="w"), said(1, cell=9, vehicle="x"))
    job.batch(until=15)
    assert job.batch(said(2, cell=8)) == {
        (5, (7, True)): (LATE, 1),
        (5, (7, False)): (LATE, 1),
        (5, (8, True)): (LATE, 1),
    }
    assert job.batch(said(2, cell=8)) == {}


def test_a_driver_that_has_just_started_refines_what_another_has_said():
    job = Job(groups=2)
    job.batch(said(1, cell=7), said(1, cell=7, vehicle="w"))
    job.batch(until=15)
    job.start_again()
    panes = job.batch(said(2, cell=7))
    assert panes == {}
    job.start_again()
    assert job.batch(said(3, cell=7, vehicle="x")) == {(5, (7, True)): (LATE, 3)}


def test_a_record_whose_first_window_has_closed_is_late_and_counts_nowhere():
    job = Job()
    job.batch(said(1, cell=7))
    job.batch(until=5 + 60 + 10)  # the watermark is where the first window closes for good
    panes = job.batch(said(2, cell=8))
    assert [record.value for record in job.late] == [(8,)]
    assert not any(row[0] == 8 for _, row in panes)


def test_windows_speak_early_each_time_the_interval_of_their_own_time_has_passed():
    windows = Windows(**{**vars(WINDOWS), "early_ms": 15_000})
    job = Job(windows)
    job.batch(said(1, cell=7))
    assert set(job.batch(said(4, cell=7))) == set()
    assert set(job.batch(said(6, cell=7))) == {(5, (7, True)), (20, (7, True))}
    assert set(job.batch(said(6.5, cell=7))) == set()


def test_a_window_speaks_at_its_end_before_the_watermark_is_there():
    windows = Windows(**{**vars(WINDOWS), "early_ms": 30_000})
    job = Job(windows)
    job.batch(said(1, cell=7))
    assert job.batch(said(5, cell=8)) == {(5, (7, True)): (EARLY, 1)}
    assert job.batch(said(9, cell=8)) == {}


def test_every_arrival_counts():
    windows = Windows(**{**vars(WINDOWS), "summary": Every()})
    job = Job(windows)
    job.batch(said(1, cell=7), said(2, cell=7), said(2, cell=7, vehicle="w"))
    assert job.batch(until=15) == {(5, (7,)): (ON_TIME, 3)}


def test_state_is_forgotten_with_the_last_window_that_needs_it():
    job = Job()
    job.batch(said(1, cell=7))
    job.batch(until=30 + 60 + 10)
    assert job.groups[0].vehicles == {}
    assert job.groups[0].slices == set()


records = st.lists(
    st.tuples(st.integers(0, 200), st.integers(1, 3), st.sampled_from("vw")), min_size=1
)


@settings(max_examples=100, deadline=None)
@given(
    said_=records,
    seed=st.integers(0, 1000),
    batches=st.integers(1, 8),
    groups=st.integers(1, 3),
    starts=st.sets(st.integers(0, 7)),
)
def test_the_last_pane_of_every_window_is_what_a_look_at_all_records_gives(
    said_, seed, batches, groups, starts
):
    """However they come, are divided into batches and groups, and whenever drivers are replaced, as
    long as none is late."""
    windows = Windows(**{**vars(WINDOWS), "lateness_ms": 300_000, "early_ms": 7_000})
    shuffled = [said(second, cell, vehicle) for second, cell, vehicle in said_]
    random.Random(seed).shuffle(shuffled)
    job, found = Job(windows, groups), {}
    for part in range(batches):
        if part in starts:
            job.start_again()
        for (end, row), (_, count) in job.batch(*shuffled[part::batches]).items():
            found[end, row] = count
        assert not job.late
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
