"""Every consumed record is there as it came, decodable or not."""

import pytest
from oracle_stage import counts, keys, ms

JOB = "pass-through"
TOPIC = "input.vehicle-position"
VERSION = [("version", b"0")]


@pytest.fixture
def copy(stage):
    def copy(record, value=None, partition=0):
        key = f"{record.topic}/{record.partition}/{record.offset}"
        content = record.value if value is None else value
        return stage.append(f"analytics.{JOB}", key, content, VERSION, partition=partition)

    return copy


def test_copies_are_compared_by_their_bytes(stage, copy):
    records = [stage.position("40/1", second) for second in range(3)]
    records.append(stage.append(TOPIC, "40/1", b"\xff", None))
    stage.commit(JOB)
    for record in records:
        copy(record)
    copy(records[0])  # once more, after a restart
    comparison = stage.compare(JOB)
    assert counts(comparison) == (4, 0, 0, 0)
    assert comparison.undecodable == 1


def test_what_is_missing_wrong_or_extra_is_told(stage, copy):
    records = [stage.position("40/1", second) for second in range(3)]
    stage.commit(JOB)
    copy(records[0])
    copy(records[1], value=b"another")
    stage.append(f"analytics.{JOB}", f"{TOPIC}/9/0", b"", VERSION)
    comparison = stage.compare(JOB)
    assert counts(comparison) == (4, 1, 1, 1)
    assert keys(comparison, "missing") == [f"{TOPIC}/0/2"]
    assert keys(comparison, "wrong") == [f"{TOPIC}/0/1"]
    assert keys(comparison, "extra") == [f"{TOPIC}/9/0"]


def test_what_the_job_copied_since_its_newest_commit_is_not_judged(stage, copy):
    first = stage.position("40/1", 0)
    stage.commit(JOB)
    copy(first)
    copy(stage.position("40/1", 1))
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_copies_that_retention_may_have_deleted_are_not_missed(stage, copy):
    records = [stage.position("40/1", second) for second in range(6)]
    stage.commit(JOB)
    for record in records[:-1]:
        copy(record)
    stage.earliest[f"analytics.{JOB}", 0] = 3
    comparison = stage.compare(JOB)
    assert counts(comparison) == (3, 1, 0, 0)
    assert keys(comparison, "missing") == [f"{TOPIC}/0/5"]


def test_since_leaves_out_older_records(stage):
    for second in range(6):
        stage.position("40/1", second)
    stage.commit(JOB)
    assert counts(stage.compare(JOB, since=ms(4))) == (2, 2, 0, 0)
