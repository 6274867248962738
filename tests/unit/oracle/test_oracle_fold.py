"""A reader keeps the newest version of every key; results may be out of the judge's sight."""

import pytest
from oracle_stage import HOME, NEXT, counts, headers, key, keys, position
from streambed.events import Pane

JOB = "vehicle-distribution"
TOPIC = f"analytics.{JOB}"


@pytest.fixture
def one_window(stage):
    """One vehicle at home in the one window that is judged."""
    stage.position("40/1", 4)
    stage.position("40/9", 14.5, None)
    stage.commit(JOB, batch=7)
    return stage


@pytest.mark.parametrize("order", [(2, 5), (5, 2)])
def test_the_newest_version_counts_in_whatever_order_they_come(one_window, order):
    for version in order:
        one_window.says(JOB, 5, HOME, vehicles=int(version == 5), version=version)
    assert counts(one_window.compare(JOB)) == (1, 0, 0, 0)


def test_results_of_later_batches_are_not_taken(one_window):
    one_window.says(JOB, 5, HOME, vehicles=1, version=7)
    one_window.says(JOB, 5, HOME, vehicles=9, version=8, pane=Pane.LATE)
    assert counts(one_window.compare(JOB)) == (1, 0, 0, 0)


def test_results_of_earlier_generations_do_not_count(stage, one_window):
    one_window.says(JOB, 5, HOME, vehicles=1)
    one_window.says(JOB, 5, NEXT, vehicles=1)
    one_window.commit(JOB, generation=1)
    assert counts(one_window.compare(JOB)) == (1, 1, 0, 0)


@pytest.mark.parametrize("wire", ["binary", "json"])
def test_both_wire_modes_are_read(one_window, wire):
    one_window.says(JOB, 5, HOME, vehicles=1, wire=wire)
    assert counts(one_window.compare(JOB)) == (1, 0, 0, 0)


@pytest.mark.parametrize("fault", [{"size": 60}, {"told_version": 2}])
def test_a_result_must_agree_with_its_key_and_version(one_window, fault):
    one_window.says(JOB, 5, HOME, vehicles=1, **fault)
    assert counts(one_window.compare(JOB)) == (1, 0, 1, 0)


def test_a_result_of_another_type_is_wrong(one_window):
    told = [*headers("binary"), ("version", b"3")]
    value = one_window.position("40/1", 5).value
    one_window.append(TOPIC, key(5, HOME), value, told)
    assert counts(one_window.compare(JOB)) == (1, 0, 1, 0)


def test_what_has_no_version_or_no_key_of_the_job_is_extra(one_window):
    one_window.says(JOB, 5, HOME, vehicles=1)
    one_window.append(TOPIC, key(5, NEXT), position().SerializeToString(), headers("binary"))
    one_window.append(TOPIC, "what", b"", [("version", b"3")])
    assert counts(one_window.compare(JOB)) == (1, 0, 0, 2)


def test_windows_of_input_that_is_deleted_are_not_judged(stage):
    for second in range(0, 200, 2):
        stage.position("40/1", second)
    stage.commit(JOB)  # the clock is at 188.5 s
    stage.earliest["input.vehicle-position", 0] = 25  # from 50 s on, complete from 110 s on
    comparison = stage.compare(JOB)
    assert keys(comparison, "missing")[0] == key(140, HOME)
    assert counts(comparison) == (10, 10, 0, 0)


def test_a_belated_record_does_not_hide_what_was_deleted_before_it(stage):
    for second in range(0, 200, 2):
        stage.position("40/1", second, received=52 if second == 50 else None)
    stage.commit(JOB)
    stage.earliest["input.vehicle-position", 0] = 25  # complete from 112 s on
    assert keys(stage.compare(JOB), "missing")[0] == key(145, HOME)


def test_nothing_is_judged_when_a_partition_has_nothing_left(stage):
    stage.position("40/1", 4)
    stage.position("40/2", 100, partition=1)
    stage.commit(JOB)
    stage.earliest["input.vehicle-position", 0] = 1
    comparison = stage.compare(JOB)
    assert counts(comparison) == (0, 0, 0, 0)
    assert any("nothing to judge" in note for note in comparison.notes)


def test_results_that_retention_may_have_deleted_are_not_missed(stage):
    for second in range(0, 100, 2):
        stage.position("40/1", second)
    stage.commit(JOB)  # the windows that end from 5 s to 85 s
    for number, end in enumerate(range(5, 85, 5)):
        stage.says(JOB, end, HOME, vehicles=1, version=number // 2)
    stage.earliest[TOPIC, 0] = 4  # the first batch that is left told the windows of 25 s and 30 s
    comparison = stage.compare(JOB)
    assert keys(comparison, "missing") == [key(85, HOME)]
    assert counts(comparison) == (11, 1, 0, 0)


def test_a_job_is_judged_by_what_it_consumed(stage):
    stage.position("40/1", 4)
    stage.position("40/9", 14.5, None)
    stage.position("40/2", 4)
    stage.commit(JOB, ends={"input.vehicle-position": {"0": 2}})
    stage.says(JOB, 5, HOME, vehicles=1)
    comparison = stage.compare(JOB)
    assert counts(comparison) == (1, 0, 0, 0)
    assert comparison.records == 2
    assert "1 records behind" in comparison.notes[0]
