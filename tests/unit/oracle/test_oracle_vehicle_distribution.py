"""Each vehicle is counted once, where its newest position in the window was."""

from oracle_stage import HOME, NEXT, counts, key, keys, ms
from streambed.events import Pane

JOB = "vehicle-distribution"


def say_home(stage, ends, vehicles=1, **options):
    for end in ends:
        stage.says(JOB, end, HOME, vehicles=vehicles, **options)


def test_a_position_counts_in_every_window_that_holds_it(stage):
    stage.position("40/1", 2)
    stage.position("40/2", 100)  # moves the clock to 90.5 s
    stage.commit(JOB)
    say_home(stage, range(5, 35, 5))  # [-25, 5) to [0, 30)
    assert counts(stage.compare(JOB)) == (6, 0, 0, 0)


def test_a_window_that_the_clock_has_not_passed_is_not_judged(stage):
    stage.position("40/1", 2)
    stage.position("40/1", 14.499)  # the clock is at 4.999 s
    stage.commit(JOB)
    assert counts(stage.compare(JOB)) == (0, 0, 0, 0)
    stage.position("40/1", 14.5)
    stage.commit(JOB)
    assert keys(stage.compare(JOB), "missing") == [key(5, HOME)]


def test_the_newest_position_counts_whenever_it_came(stage):
    stage.position("40/1", 4, NEXT)
    stage.position("40/1", 2, HOME)  # out of order
    stage.position("40/1", 4, NEXT)  # a copy
    stage.position("40/9", 20, None)
    stage.commit(JOB)
    stage.says(JOB, 5, NEXT, vehicles=1)
    stage.says(JOB, 5, HOME, vehicles=0)
    stage.says(JOB, 10, NEXT, vehicles=1)
    assert counts(stage.compare(JOB)) == (2, 0, 0, 0)


def test_of_two_cells_at_the_same_time_the_larger_counts(stage):
    small, large = sorted((HOME, NEXT))
    for cell in (large, small):
        stage.position("40/1", 4, cell)
    stage.position("40/9", 14.5, None)
    stage.commit(JOB)
    stage.says(JOB, 5, large, vehicles=1)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_a_late_record_counts_nowhere(stage):
    stage.position("40/1", 4)
    stage.position("40/9", 300, None)
    late = stage.position("40/2", 4)
    stage.commit(JOB)
    stage.sets_aside(JOB, late, 290.5)
    say_home(stage, range(5, 35, 5))
    comparison = stage.compare(JOB)
    assert counts(comparison) == (6, 0, 0, 0)
    assert comparison.late == 1


def test_what_differs_is_told_by_kind(stage):
    stage.position("40/1", 4)
    stage.position("40/9", 20, None)  # judged: the windows that end at 5 s and at 10 s
    stage.commit(JOB)
    stage.says(JOB, 5, HOME, vehicles=0)
    stage.says(JOB, 5, NEXT, vehicles=2)
    comparison = stage.compare(JOB)
    assert counts(comparison) == (3, 1, 1, 1)
    assert keys(comparison, "wrong") == [key(5, HOME)]
    assert keys(comparison, "extra") == [key(5, NEXT)]
    assert keys(comparison, "missing") == [key(10, HOME)]


def test_an_early_pane_is_not_enough_for_a_window_that_has_ended(stage):
    stage.position("40/1", 4)
    stage.position("40/9", 14.5, None)
    stage.commit(JOB)
    stage.says(JOB, 5, HOME, vehicles=1, pane=Pane.EARLY)
    assert counts(stage.compare(JOB)) == (1, 0, 1, 0)
    stage.says(JOB, 5, HOME, vehicles=1, pane=Pane.LATE, version=4)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_the_options_that_the_job_runs_with_count(stage):
    stage.position("40/1", 4)
    stage.position("40/9", 20, None)
    stage.commit(JOB, options={"size": 20_000, "slide": 10_000, "bound": 10_000})
    say_home(stage, [10], size=20)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_a_window_that_is_not_a_multiple_of_its_slide_is_cut_finer(stage):
    stage.position("40/1", 6)
    stage.position("40/1", 7, NEXT)
    stage.position("40/9", 60, None)
    stage.commit(JOB, options={"size": 15_000, "slide": 10_000, "bound": 0})
    for end in (10, 20):  # [-5, 10) and [5, 20)
        stage.says(JOB, end, NEXT, vehicles=1, size=15)
    assert counts(stage.compare(JOB)) == (2, 0, 0, 0)


def test_positions_without_a_cell_and_undecodable_records_are_read_over(stage):
    stage.position("40/1", 4, None)
    stage.append("input.vehicle-position", "40/1", b"\xff", [("wire", b"binary")])
    stage.append("input.vehicle-position", "40/1", b"", None)
    stage.arrival("40/1", 400, HOME, 60)
    stop = stage.records["input.stop-event"][0][0]
    stage.append("input.vehicle-position", "40/1", stop.value, stop.headers)
    stage.commit(JOB)
    comparison = stage.compare(JOB)
    assert counts(comparison) == (0, 0, 0, 0)
    assert (comparison.records, comparison.undecodable) == (4, 3)


def test_years_between_two_records_take_no_time(stage):
    stage.position("40/1", -1_600_000_000)
    stage.position("40/9", 0, None)
    stage.commit(JOB)
    say_home(stage, range(-1_600_000_000 + 5, -1_600_000_000 + 35, 5))
    assert counts(stage.compare(JOB)) == (6, 0, 0, 0)


def test_since_leaves_out_windows_that_begin_before(stage):
    stage.position("40/1", 2)
    stage.position("40/9", 100, None)
    stage.commit(JOB)
    assert counts(stage.compare(JOB, since=ms(-5))) == (2, 2, 0, 0)
