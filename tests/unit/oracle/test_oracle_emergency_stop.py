"""From speed to rest within seconds, found in a vehicle's positions in the order of time."""

import pytest
from oracle_stage import HOME, counts, fine, ms, timestamp

JOB = "emergency-stop"
VEHICLE = "0040/00001"
PLACE = {"latitude": 60.17, "longitude": 24.94, "mode": "bus", "route": "1001"}


@pytest.fixture
def drive(stage):
    """One position a second from `at` on; None is a position without a speed."""

    def drive(*speeds, at=0, vehicle=VEHICLE, **fields):
        made = []
        for second, speed in enumerate(speeds, at):
            told = {} if speed is None else {"speed": speed}
            made.append(stage.position(vehicle, second, **PLACE, **told, **fields))
        return made

    return drive


@pytest.fixture
def report(stage):
    def report(began, ended, before, after, strongest, **fields):
        stage.reports(
            VEHICLE,
            ended,
            operator=40,
            began=timestamp(ms(began)),
            speed_before=before,
            speed_after=after,
            strongest_deceleration=strongest,
            cell=fine(HOME),
            **{"vehicle": 1, **PLACE, **fields},
        )

    return report


def test_a_stop_begins_where_the_speed_began_to_fall(stage, drive, report):
    drive(12, 13, 12.5, 11, 6, 0.5, 0)
    drive(0, at=20)
    stage.commit(JOB)
    report(1, 5, 13, 0.5, 5.5)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_no_further_back_than_a_stop_may_take(stage, drive, report):
    drive(20, 19, 18, 17, 12, 9, 0)  # the newest fast one is at 4 s, and 1 s is 5 s before 6 s
    drive(0, at=20)
    stage.commit(JOB)
    report(1, 6, 19, 0, 9)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_after_a_report_nothing_before_it_matches_again(stage, drive, report):
    drive(12, 0.5, 0.2, 11, 0)
    drive(0, at=20)
    stage.commit(JOB)
    report(0, 1, 12, 0.5, 11.5)
    report(3, 4, 11, 0, 11)
    assert counts(stage.compare(JOB)) == (2, 0, 0, 0)


@pytest.mark.parametrize(
    "speeds",
    [
        (12, None, 0),  # a null is no speed
        (12, 8, 6, 4, 2, 1, 0),  # six seconds
        (9.9, 0),
        (12, 1),  # not slower than slow
    ],
)
def test_ordinary_stops_are_none(stage, drive, speeds):
    drive(*speeds)
    drive(0, at=30)
    stage.commit(JOB)
    assert counts(stage.compare(JOB)) == (0, 0, 0, 0)


def test_a_gap_breaks_the_run(stage, drive, report):
    drive(12)
    drive(0, at=2)  # just no gap
    drive(12, at=10)
    stage.position(VEHICLE, 12.001, speed=0)
    drive(0, at=30)
    stage.commit(JOB)
    report(0, 2, 12, 0, 6)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_positions_are_put_in_order_and_of_copies_the_one_with_more_speed_counts(
    stage, drive, report
):
    drive(0, at=2)
    drive(5, at=1)
    drive(12)
    drive(None, at=1)
    drive(0, at=30)
    stage.commit(JOB)
    report(0, 2, 12, 0, 7)
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)


def test_a_stop_is_known_once_it_is_settled(stage, drive, report):
    drive(12, 0)
    drive(0, at=5)  # settled up to 0 s
    stage.commit(JOB)
    assert counts(stage.compare(JOB)) == (0, 0, 0, 0)
    drive(0, at=6)
    stage.commit(JOB)
    assert counts(stage.compare(JOB)) == (1, 1, 0, 0)


def test_a_silent_vehicle_is_settled_when_patience_ends(stage, drive, report):
    drive(12, 0)
    drive(0, at=600, vehicle="0040/00002")
    stage.commit(JOB)
    assert counts(stage.compare(JOB)) == (0, 0, 0, 0)
    drive(0, at=601, vehicle="0040/00002")
    stage.commit(JOB)
    assert counts(stage.compare(JOB)) == (1, 1, 0, 0)


def test_a_stop_that_was_none_is_extra_and_one_told_otherwise_is_wrong(stage, drive, report):
    drive(12, 0)
    drive(0, at=30)
    stage.commit(JOB)
    report(0, 1, 12, 0, 12, route="1002")
    report(8, 9, 12, 0, 12)
    assert counts(stage.compare(JOB)) == (2, 0, 1, 1)


def test_options_of_the_job_count(stage, drive):
    drive(8, 4, 1.5)
    drive(0, at=30)
    stage.commit(JOB, options={"fast": 8, "slow": 2.0, "within": 2000})
    assert counts(stage.compare(JOB)) == (1, 1, 0, 0)


def test_a_late_record_is_left_out_and_must_have_been_settled(stage, drive):
    drive(12)
    drive(0, at=30)
    (late,) = drive(0, at=1)
    stage.commit(JOB)
    stage.sets_aside(JOB, late, 25)
    comparison = stage.compare(JOB)
    assert counts(comparison) == (0, 0, 0, 0)
    assert comparison.late == 1
    (early,) = drive(0, at=26)
    stage.commit(JOB)
    stage.sets_aside(JOB, early, 25)
    assert counts(stage.compare(JOB)) == (0, 0, 1, 0)


def test_the_place_may_be_unknown(stage):
    stage.position(VEHICLE, 0, speed=12)
    stage.position(VEHICLE, 1, None, speed=0)
    stage.position(VEHICLE, 30, speed=0)
    stage.commit(JOB)
    stage.reports(
        VEHICLE,
        1,
        operator=40,
        vehicle=1,
        began=timestamp(ms(0)),
        speed_before=12,
        strongest_deceleration=12,
    )
    assert counts(stage.compare(JOB)) == (1, 0, 0, 0)
