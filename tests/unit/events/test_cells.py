"""A parent cell by arithmetic is the parent that H3 itself tells."""

import pytest
from h3.api import basic_int as h3
from hypothesis import given
from hypothesis import strategies as st
from strategies import positions
from streambed.events.cells import (
    FINE_RESOLUTION,
    fine_cell,
    parent_cell,
    parent_cell_sql,
    resolution_of,
)

resolutions = st.integers(0, FINE_RESOLUTION)


@given(place=positions, resolution=resolutions)
def test_the_parent_is_the_one_that_h3_tells(place, resolution):
    cell = fine_cell(*place)
    assert parent_cell(cell, resolution) == h3.cell_to_parent(cell, resolution)


@given(place=positions, resolution=resolutions)
def test_the_expression_for_spark_computes_the_same(place, resolution):
    cell = fine_cell(*place)
    expression = parent_cell_sql("cell", resolution).replace("L", "")  # Java's mark of a long
    assert eval(expression, {"cell": cell}) == parent_cell(cell, resolution)


@given(place=positions)
def test_cells_fit_a_signed_64_bit_integer(place):
    assert 0 < fine_cell(*place) < 2**63


def test_a_cell_tells_its_resolution():
    assert resolution_of(fine_cell(60.17, 24.94)) == FINE_RESOLUTION


@pytest.mark.parametrize("resolution", [-1, FINE_RESOLUTION + 1])
def test_a_finer_cell_cannot_be_derived(resolution):
    with pytest.raises(ValueError, match="has parents of resolution 0 to 12"):
        parent_cell(fine_cell(60.17, 24.94), resolution)
