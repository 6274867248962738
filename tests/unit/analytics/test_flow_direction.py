"""Moves from cell to cell: what a vehicle's positions in a window tell, without a running query."""

from collections import Counter

import h3.api.basic_int as h3
from streambed.analytics.catalogue import file_of, load

FlowDirection = load(file_of("flow-direction"))
MOVES = FlowDirection.summary

A = h3.latlng_to_cell(60.17, 24.94, 9)
B, C = sorted(set(h3.grid_disk(A, 1)) - {A})[:2]
FAR = h3.latlng_to_cell(60.27, 24.94, 9)


def moves(*slices: list[int]) -> Counter:
    """Rows of a window, from the cells of its slices, a second apart."""
    summaries = [MOVES.of_slice([(t, (cell,)) for t, cell in enumerate(s)]) for s in slices]
    return Counter(MOVES.of_window(0, [], summaries))


def test_going_to_a_neighbouring_cell_is_a_move():
    assert moves([A, A, B]) == {(A, B): 1, (B, None): 1}


def test_moves_between_slices_count_like_those_inside():
    assert moves([A], [B]) == moves([A, B])


def test_staying_is_no_move_and_is_told():
    assert moves([A, A], [A]) == {(A, None): 1}


def test_jumping_to_a_cell_that_is_no_neighbour_is_no_move():
    assert moves([A, FAR]) == {(A, None): 1, (FAR, None): 1}


def test_going_back_and_forth_counts_every_time():
    assert moves([A, B, A, B]) == {(A, B): 2, (B, A): 1}


def test_a_cell_that_was_left_and_entered_again_is_told_once():
    assert moves([A, B], [A]) == {(A, B): 1, (B, A): 1}


def test_what_was_before_the_window_is_no_part_of_it():
    before = MOVES.of_slice([(0, (C,))])
    inside = MOVES.of_slice([(1, (A,))])
    assert list(MOVES.of_window(0, [before], [inside])) == [(A, None)]
