"""Records in order of time: each vehicle waits for itself, and nobody for ever."""

from streambed.analytics.ordered import Group, Ordered
from streambed.analytics.windows import Record

START = 1_000_000_000


class Diary:
    """A machine that writes down what it sees."""

    memory_ms = 2_000

    def step(self, memory, vehicle, event_ms, value):
        return (memory or 0) + 1, [(vehicle, (event_ms - START) // 1000, *value)]


ORDERED = Ordered(reorder_ms=5_000, patience_ms=600_000, bound_ms=0, machine=Diary())


def said(second: int, value: str = "x", vehicle: str = "v") -> Record:
    return Record(vehicle, START + second * 1000, (value,))


class Job:
    def __init__(self) -> None:
        self.group, self.newest_ms = Group(), 0

    def batch(self, *records: Record, until: int = 0):
        newest_ms = max([self.newest_ms, START + until * 1000, *(r.event_ms for r in records)])
        found = ORDERED.step(self.group, records, newest_ms, self.newest_ms)
        self.newest_ms, self.late = newest_ms, found.late
        return found.rows


def test_records_are_seen_in_order_of_time_once_the_vehicle_has_gone_on():
    job = Job()
    assert job.batch(said(2), said(1)) == []
    assert job.batch(said(7)) == [("v", 1, "x"), ("v", 2, "x")]


def test_a_vehicle_without_a_radio_for_minutes_is_not_late():
    job = Job()
    job.batch(said(1))
    job.batch(said(300, vehicle="w"))
    assert job.batch(said(2), said(3), said(9)) == [("v", 1, "x"), ("v", 2, "x"), ("v", 3, "x")]
    assert not job.late


def test_what_comes_after_the_vehicle_went_on_is_late():
    job = Job()
    job.batch(said(1), said(10))
    assert job.batch(said(5)) == []
    assert len(job.late) == 1


def test_copies_are_seen_once_and_of_different_ones_the_larger():
    job = Job()
    job.batch(said(1, "a"), said(1, "b"), said(1, "a"))
    assert job.batch(said(6)) == [("v", 1, "b")]


def test_a_vehicle_that_is_silent_for_long_is_settled_by_the_others_and_forgotten():
    job = Job()
    job.batch(said(1))
    assert job.batch(said(601, vehicle="w")) == [("v", 1, "x")]
    job.batch(said(604, vehicle="w"))
    assert set(job.group.vehicles) == {"w"}
