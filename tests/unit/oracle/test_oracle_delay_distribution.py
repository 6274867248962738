"""Percentiles by nearest rank of the delays at arrivals, in minutes."""

from oracle_stage import HOME, NEXT, counts
from streambed.events import StopEvent
from streambed.oracle.delay_distribution import Delays, delays_of

JOB = "delay-distribution"


def test_percentiles_are_values_that_occurred():
    assert delays_of([120]) == Delays(2.0, 2.0, 2.0, 1)
    assert delays_of([60 * n for n in range(10, 0, -1)]) == Delays(5.0, 9.0, 10.0, 10)
    assert delays_of([60, -60]) == Delays(-1.0, 1.0, 1.0, 2)
    assert delays_of([6 * n for n in range(1, 101)]) == Delays(5.0, 9.0, 9.9, 100)


def test_only_arrivals_with_a_cell_and_a_delay_count(stage):
    stage.arrival("40/1", 1, HOME, 90)
    stage.arrival("40/2", 2, HOME, None)
    stage.arrival("40/3", 3, None, 30)
    stage.arrival("40/4", 4, HOME, 30, kind=StopEvent.DEPARTED)
    stage.arrival("40/5", 14.5, None, 30)
    stage.commit(JOB)
    stage.says(JOB, 5, HOME, p50=1.5, p90=1.5, p99=1.5, arrivals=1)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_copies_are_one_arrival_and_the_larger_counts(stage):
    for cell, delay in ((HOME, 90), (HOME, 90), (HOME, 30)):
        stage.arrival("40/1", 1, cell, delay)
    stage.arrival("40/2", 1, HOME, -60)
    stage.arrival("40/5", 14.5, None, 30)
    stage.commit(JOB)
    stage.says(JOB, 5, HOME, p50=-1.0, p90=1.5, p99=1.5, arrivals=2)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_an_arrival_is_in_sixty_windows(stage):
    stage.arrival("40/1", 1, HOME, 20)
    stage.arrival("40/5", 400, None, 30)
    stage.commit(JOB)
    third = 20 / 60.0
    for end in range(5, 305, 5):
        stage.says(JOB, end, HOME, p50=third, p90=third, p99=third, arrivals=1)
    assert counts(stage.compare(JOB)) == (60, 0, 0, 0)


def test_a_late_arrival_and_another_percentile_are_noticed(stage):
    stage.arrival("40/1", 1, HOME, 60)
    late = stage.arrival("40/1", 2, NEXT, 60)
    stage.arrival("40/5", 80, None, 30)
    stage.commit(JOB)
    stage.sets_aside(JOB, late, 70)
    for end in range(5, 75, 5):
        stage.says(JOB, end, HOME, p50=1.0, p90=1.0, p99=1.0 + (end == 40), arrivals=1)
    assert counts(stage.compare(JOB)) == (14, 0, 1, 0)
