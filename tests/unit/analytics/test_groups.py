"""Groups of vehicles: each on a part of the state of its own."""

import pytest
from streambed.analytics.groups import key_of, keys, part_of


@pytest.mark.parametrize(("number", "parts", "part"), [(0, 200, 191), (1, 200, 43)])
def test_keys_fall_where_spark_has_them_fall(number, parts, part):
    """As `SELECT pmod(hash(number), parts)` says."""
    assert part_of(number, parts) == part


@pytest.mark.parametrize("groups", [1, 2, 3, 4, 6, 16])
def test_every_part_of_the_state_has_one_group(groups):
    assert [part_of(key, groups) for key in keys(groups)] == list(range(groups))


def test_vehicles_are_spread_over_the_groups():
    found = [key_of(f"0012/{number:05d}", 4) for number in range(1000)]
    assert set(found) == set(keys(4))
    assert min(found.count(key) for key in keys(4)) > 150
