"""Moves between neighbouring cells, counted in the windows that hold both ends of them."""

from collections import Counter

from oracle_stage import FAR, HOME, NEXT, OTHER, counts, key, keys
from streambed.oracle.flow_direction import Flow, flow_of

JOB = "flow-direction"


def test_the_most_frequent_neighbour_counts_and_of_equals_the_smaller():
    assert flow_of(Counter({5: 1, 7: 2})) == Flow(7, 2, 3)
    assert flow_of(Counter({7: 2, 5: 2})) == Flow(5, 2, 4)


def test_moves_are_between_consecutive_positions_in_the_order_of_time(stage):
    stage.position("40/1", 3, NEXT)
    stage.position("40/1", 1, HOME)
    stage.position("40/1", 2, HOME)  # so from here to there at 3 s
    stage.position("40/2", 1, HOME)
    stage.position("40/2", 4, OTHER)
    stage.position("40/3", 1, HOME)
    stage.position("40/3", 2, FAR)  # no neighbour
    stage.position("40/3", 3, HOME)
    stage.position("40/4", 14.5, None)
    stage.commit(JOB)
    stage.says(JOB, 5, HOME, to_cell=NEXT, moves=1, all_moves=2)
    stage.says(JOB, 5, NEXT)
    stage.says(JOB, 5, FAR)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_a_move_belongs_to_windows_that_hold_both_positions(stage):
    stage.position("40/1", 1, HOME)
    stage.position("40/1", 201, NEXT)
    stage.position("40/4", 600, None)
    stage.commit(JOB)
    for end in range(205, 305, 5):  # from the first with the end of it to the last with its start
        stage.says(JOB, end, HOME, to_cell=NEXT, moves=1, all_moves=1)
    assert counts(stage.compare(JOB)) == (20, 0, 0, 0)
    stage.says(JOB, 305, HOME, to_cell=NEXT, moves=1, all_moves=1)
    assert keys(stage.compare(JOB), "extra") == [key(305, HOME)]


def test_copies_are_no_move_and_the_larger_cell_counts(stage):
    small, large = sorted((HOME, NEXT))
    stage.position("40/1", 1, small)
    stage.position("40/1", 2, small)
    stage.position("40/1", 2, large)
    stage.position("40/1", 2, small)
    stage.position("40/4", 14.5, None)
    stage.commit(JOB)
    stage.says(JOB, 5, small, to_cell=large, moves=1, all_moves=1)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_without_the_late_record_there_is_another_move(stage):
    stage.position("40/1", 1, HOME)
    stage.position("40/1", 3, NEXT)
    stage.position("40/4", 80, None)
    late = stage.position("40/1", 2, OTHER)
    stage.commit(JOB)
    stage.sets_aside(JOB, late, 70)
    for end in range(5, 75, 5):
        stage.says(JOB, end, HOME, to_cell=NEXT, moves=1, all_moves=1)
    assert counts(stage.compare(JOB)) == (14, 0, 0, 0)
