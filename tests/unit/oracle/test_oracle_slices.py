"""Slices give what counting every window by itself gives, only sooner."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from h3.api import basic_int
from oracle_stage import BEGIN_MS, HOME, NEXT, OTHER, POSITIONS, ms
from streambed.oracle.check import _job
from streambed.oracle.flow_direction import Flow
from streambed.oracle.inputs import feed
from streambed.oracle.progress import read_progress
from streambed.oracle.set_aside import SetAside
from streambed.oracle.windows import Judged

CELLS = (HOME, NEXT, OTHER)
VEHICLES = ("40/1", "40/2", "40/3")


@pytest.fixture(params=range(20))
def random(request):
    return Random(request.param)


@pytest.fixture
def shown(stage, random):
    """Positions in any order, with copies that differ and gaps longer than a window."""
    shown = []
    for _ in range(200):
        at = random.choice((0, 700)) + random.randrange(0, 40_000, 500) / 1000
        shown.append((random.choice(VEHICLES), at, random.choice(CELLS)))
        stage.position(*shown[-1])
    return shown


def windows(stage, shown, job, size, slide):
    """For every window what the oracle expects, and the positions in it, by vehicle and time."""
    stage.commit(job, options={"size": size * 1000, "slide": slide * 1000})
    retained = {POSITIONS: stage.retained(POSITIONS)}
    judge = _job(read_progress(stage, job), SetAside(), retained, stage)
    feed(stage, retained, [judge])
    expected = dict(judge.expected(Judged(float("-inf"), float("inf"))))
    for end in range(-BEGIN_MS // 1000 % slide, 800, slide):
        tracks = {vehicle: {} for vehicle in VEHICLES}
        for vehicle, at, cell in shown:
            if end - size <= at < end:
                tracks[vehicle][at] = max(cell, tracks[vehicle].get(at, 0))
        in_order = [[cell for _, cell in sorted(track.items())] for track in tracks.values()]
        yield expected.pop(ms(end), {}), in_order
    assert not any(expected.values())


@pytest.mark.parametrize(("size", "slide"), [(30, 5), (15, 10), (10, 10)])
def test_the_newest_of_each_vehicle(stage, shown, size, slide):
    for expected, tracks in windows(stage, shown, "vehicle-distribution", size, slide):
        assert expected == Counter(track[-1] for track in tracks if track)


@pytest.mark.parametrize(("size", "slide"), [(20, 5), (15, 10), (10, 10)])
def test_the_moves_between_neighbours(stage, shown, size, slide):
    for expected, tracks in windows(stage, shown, "flow-direction", size, slide):
        moves = Counter(
            (left, came)
            for track in tracks
            for left, came in pairwise(track)
            if left != came and basic_int.are_neighbor_cells(left, came)
        )
        assert {cell: flow.all_moves for cell, flow in expected.items()} == Counter(
            left for left, _ in moves.elements()
        )
        for cell, flow in expected.items():
            most = max(count for (left, _), count in moves.items() if left == cell)
            ties = [to for (left, to), count in moves.items() if (left, count) == (cell, most)]
            assert flow == Flow(min(ties), most, flow.all_moves)
