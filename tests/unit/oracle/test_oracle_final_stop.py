"""Final stops: from the timetable in force, or learned from vehicles, or unknown."""

import pytest
from h3.api import basic_int
from oracle_stage import FAR, HOME, NEXT, OTHER, counts, key, keys
from streambed.events.cells import fine_cell, parent_cell

JOB = "final-stop"
CENTRE, HARBOUR = (60.1710, 24.9414), (60.1560, 24.9560)


def cell_at(place):
    return parent_cell(fine_cell(*place), 9)


def ride(stage, vehicle, at, cell=HOME, route="1001", direction=1, **fields):
    way = {} if direction is None else {"direction": direction}
    return stage.position(vehicle, at, cell, route=route, **way, **fields)


def arrive(stage, vehicle, at, cell=NEXT, stop="77", **fields):
    """Two positions: the last stop is next, a second later it lies behind."""
    ride(stage, vehicle, at - 1, next_stop=stop, **fields)
    ride(stage, vehicle, at, cell, end_of_line=True, **fields)


@pytest.fixture
def clock(stage):
    """Moves the clock so that the windows up to `end` are judged."""
    return lambda end: stage.position("40/9", end + 9.5, None)


def test_whose_final_stop_nobody_knows_is_counted_as_unknown(stage, clock):
    ride(stage, "40/1", 1)
    ride(stage, "40/2", 1, cell=None, direction=None)
    ride(stage, "40/3", 1, route="")
    clock(5)
    stage.commit(JOB)
    stage.says(JOB, 5, None, vehicles=2)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_the_newest_line_of_a_vehicle_in_the_window_counts(stage, clock):
    stage.timetable(
        -900, {"a": CENTRE, "b": HARBOUR}, [("1001", 0, ["b", "a"]), ("1001", 1, ["a", "b"])]
    )
    ride(stage, "40/1", 3, direction=2)
    ride(stage, "40/1", 1, direction=1)
    clock(5)
    stage.commit(JOB)
    stage.says(JOB, 5, cell_at(HARBOUR), vehicles=1)
    stage.says(JOB, 5, cell_at(CENTRE), vehicles=0)
    stage.says(JOB, 5, None, vehicles=0)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_most_trips_decide_and_of_equals_the_smallest_stop(stage, clock):
    stops = {"10": CENTRE, "9": HARBOUR}
    stage.timetable(-900, stops, [("1001", 0, ["x", "9"]), ("1001", 0, ["x", "10"])])
    ride(stage, "40/1", 1)
    clock(5)
    stage.commit(JOB)
    stage.says(JOB, 5, cell_at(CENTRE), vehicles=1)  # as text "10" is smaller than "9"
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)
    stage.timetable(
        -800,
        stops,
        [("1001", 0, ["x", "9"]), ("1001", 0, ["x", "10"]), ("1001", 0, ["10", "9"])],
    )
    assert counts(stage.compare(JOB)) == (2, 1, 0, 1)


def test_a_timetable_is_in_force_for_windows_that_end_after_it_became_valid(stage, clock):
    stage.timetable(-900, {"a": CENTRE}, [("1001", 0, ["a"])])
    stage.timetable(10, {"a": HARBOUR}, [("1001", 0, ["a"])])
    stage.bucket["timetables/soon/stops.txt"] = b""
    ride(stage, "40/1", 1)
    clock(15)
    stage.commit(JOB)
    for end, place in ((5, CENTRE), (10, CENTRE), (15, HARBOUR)):
        stage.says(JOB, end, cell_at(place), vehicles=1)
    assert counts(stage.compare(JOB)) == (3, 0, 0, 0)


def test_an_arrival_at_the_end_of_the_line_is_learned_for_the_line(stage, clock):
    ride(stage, "40/2", 1)
    arrive(stage, "40/1", 7)
    clock(10)
    stage.commit(JOB)
    stage.says(JOB, 5, None, vehicles=1)
    stage.says(JOB, 10, NEXT, vehicles=2)
    assert counts(stage.compare(JOB)) == (2, 0, 0, 0)


def test_a_learned_stop_is_where_the_timetable_has_it(stage, clock):
    stage.timetable(-900, {"77": CENTRE}, [])
    arrive(stage, "40/1", 2)
    clock(5)
    stage.commit(JOB)
    stage.says(JOB, 5, cell_at(CENTRE), vehicles=1)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_the_newest_arrival_counts_and_of_equals_the_larger_stop(stage, clock):
    arrive(stage, "40/1", 2, NEXT, stop="9")
    arrive(stage, "40/2", 3, OTHER, stop="4")
    arrive(stage, "40/3", 3, FAR, stop="5")
    clock(5)
    stage.commit(JOB)
    stage.says(JOB, 5, FAR, vehicles=3)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_what_is_no_arrival_is_not_learned(stage, clock):
    ride(stage, "40/1", 1)  # no next stop before
    ride(stage, "40/1", 2, end_of_line=True)
    ride(stage, "40/2", 1, next_stop="7", direction=2)  # another direction
    ride(stage, "40/2", 2, end_of_line=True)
    ride(stage, "40/3", 1, next_stop="7")  # no cell
    ride(stage, "40/3", 2, None, end_of_line=True)
    ride(stage, "40/4", 1, next_stop="7")  # not consecutive
    ride(stage, "40/4", 3, end_of_line=True)
    ride(stage, "40/4", 2)
    clock(5)
    stage.commit(JOB)
    stage.says(JOB, 5, None, vehicles=4)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_what_was_learned_is_forgotten_after_a_day(stage, clock):
    day = 86_400
    arrive(stage, "40/1", 2)
    ride(stage, "40/2", day + 1)
    clock(day + 5)
    stage.commit(JOB)
    for end in range(5, 305, 5):
        stage.says(JOB, end, NEXT, vehicles=1)
    stage.says(JOB, day + 5, None, vehicles=1)  # a day before its end is 5 s, and 2 s is older
    assert counts(stage.compare(JOB)) == (61, 0, 0, 0)


def test_a_late_record_teaches_nothing(stage, clock):
    ride(stage, "40/1", 1, next_stop="7")
    late = ride(stage, "40/1", 2, end_of_line=True)
    clock(70)
    stage.commit(JOB)
    stage.sets_aside(JOB, late, 70)
    for end in range(5, 75, 5):
        stage.says(JOB, end, None, vehicles=1)
    assert counts(stage.compare(JOB)) == (14, 0, 0, 0)


def test_copies_count_by_the_larger_of_all_that_they_tell(stage, clock):
    ride(stage, "40/1", 1, next_stop="7")
    ride(stage, "40/1", 2, end_of_line=True, cell=NEXT)
    ride(stage, "40/1", 2, next_stop="7")  # larger, as its next stop is
    clock(5)
    stage.commit(JOB)
    stage.says(JOB, 5, None, vehicles=1)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_a_window_whose_past_is_deleted_is_not_judged(stage, clock):
    for second in range(100):
        ride(stage, "40/1", second)
    arrive(stage, "40/1", 420)
    clock(425)
    stage.commit(JOB)
    stage.earliest["input.vehicle-position", 0] = 50  # complete from 110 s on
    comparison = stage.compare(JOB)
    # [110, 410) and [115, 415) may know what was learned before; [120, 420) may as well.
    assert keys(comparison, "missing") == [key(425, NEXT)]
    assert counts(comparison) == (1, 1, 0, 0)
    assert any("not judged" in note for note in comparison.notes)


def test_cells_of_the_tests_are_what_they_seem():
    assert basic_int.are_neighbor_cells(HOME, NEXT)
    assert basic_int.are_neighbor_cells(HOME, OTHER)
    assert not basic_int.are_neighbor_cells(HOME, FAR)
