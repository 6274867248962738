"""What a job set aside must be what it had to set aside, as far as the input tells."""

from oracle_stage import HOME, LATE, counts, keys

JOB = "vehicle-distribution"


def place(record):
    return f"{JOB}/{record.topic}/{record.partition}/{record.offset}"


def test_records_from_the_future_are_set_aside_and_move_no_clock(stage):
    future = stage.position("40/1", 600, received=539.999)
    stage.commit(JOB)
    comparison = stage.compare(JOB)
    assert keys(comparison, "missing") == [place(future)]
    assert comparison.future == 1
    stage.sets_aside(JOB, future, None)
    assert counts(stage.compare(JOB)) == (0, 0, 0, 0)


def test_a_minute_ahead_is_not_the_future(stage):
    record = stage.position("40/1", 600, received=540)
    stage.commit(JOB)
    assert counts(stage.compare(JOB)) == (0, 0, 0, 0)
    stage.sets_aside(JOB, record, None)
    assert keys(stage.compare(JOB), "extra") == [place(record)]


def test_from_the_future_is_told_without_a_watermark(stage):
    future = stage.position("40/1", 600, received=500)
    stage.commit(JOB)
    stage.sets_aside(JOB, future, 500)
    assert keys(stage.compare(JOB), "wrong") == [place(future)]


def test_a_late_record_must_have_been_late(stage):
    record = stage.position("40/1", 4, None)
    late = stage.position("40/1", 4)
    stage.position("40/9", 100, None)  # the clock is at 90.5 s
    stage.commit(JOB)
    stage.sets_aside(JOB, late, 65)  # its first window ends at 5 s and closes at 65 s
    assert counts(stage.compare(JOB)) == (0, 0, 0, 0)
    stage.sets_aside(JOB, late, 64.999, version=4)
    assert keys(stage.compare(JOB), "wrong") == [place(late)]
    stage.sets_aside(JOB, late, 90.501, version=5)
    assert keys(stage.compare(JOB), "wrong") == [place(late)]
    stage.sets_aside(JOB, late, 90.5, version=6)
    stage.sets_aside(JOB, record, 90)  # the job does not want it
    assert keys(stage.compare(JOB), "extra") == [place(record)]


def test_a_late_record_must_be_kept_as_it_came(stage):
    late = stage.position("40/1", 4)
    other = stage.position("40/9", 100, None)
    stage.commit(JOB)
    stage.sets_aside(JOB, late, 90, copy=other)
    assert keys(stage.compare(JOB), "wrong") == [place(late)]


def test_what_the_job_did_not_consume_cannot_be_late(stage):
    stage.position("40/9", 100, None)
    stage.commit(JOB)
    unread = stage.position("40/1", 4)
    stage.sets_aside(JOB, unread, 90)
    assert keys(stage.compare(JOB), "extra") == [place(unread)]


def test_what_was_set_aside_after_the_newest_commit_or_by_others_still_counts(stage):
    late = stage.position("40/1", 4)
    stage.position("40/9", 14.5, None)
    stage.commit(JOB, batch=7)
    stage.sets_aside(JOB, late, 4, version=8)
    stage.sets_aside("flow-direction", late, 4, version=3)
    stage.says(JOB, 5, HOME, vehicles=1)
    comparison = stage.compare(JOB)
    assert counts(comparison) == (1, 0, 0, 0)
    assert comparison.late == 0


def test_an_earlier_generation_set_aside_for_itself(stage):
    record = stage.position("40/1", 4)
    stage.position("40/9", 14.5, None)
    stage.commit(JOB, generation=2, batch=0)
    stage.sets_aside(JOB, record, 4, version=1 << 32 | 5)
    stage.says(JOB, 5, HOME, vehicles=1, version=2 << 32)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_windows_whose_late_records_may_have_been_deleted_are_not_judged(stage):
    first = stage.position("40/1", 4)
    second = stage.position("40/1", 100)
    stage.position("40/9", 400, None)
    stage.commit(JOB)
    stage.sets_aside(JOB, first, 95)
    stage.sets_aside(JOB, second, 170)
    stage.earliest[LATE, 0] = 1
    assert counts(stage.compare(JOB)) == (0, 0, 0, 0)


def test_what_cannot_be_read_is_wrong(stage):
    stage.position("40/9", 100, None)
    stage.commit(JOB)
    stage.append(LATE, f"{JOB}/what", b"\xff", None)
    assert keys(stage.compare(JOB), "wrong") == [f"{JOB}/what"]
