"""A driver is dead before another host can have its lock, and otherwise left in peace."""

import pytest
from streambed.analytics.lease import Lease
from streambed.analytics.supervision import Action, Supervision

SESSION_S = 5.0


@pytest.fixture
def lease():
    lease = Lease()
    lease.confirm(asked_at=100.0, session_s=SESSION_S)
    return lease


def decide(supervision, now, *, ended=False, stop_wanted=False):
    return supervision.decide(now, ended=ended, stop_wanted=stop_wanted)[0]


def test_a_lock_that_nobody_confirmed_is_not_held():
    assert not Lease().held(0.0)


def test_a_lock_is_held_for_less_than_the_session_from_the_question_on(lease):
    assert lease.held(103.9)
    assert not lease.held(104.0)


def test_every_answer_prolongs_it_and_a_late_one_does_not_shorten_it(lease):
    lease.confirm(asked_at=103.0, session_s=SESSION_S)
    lease.confirm(asked_at=101.0, session_s=SESSION_S)
    assert lease.held(106.9)


def test_a_shorter_session_is_held_for_a_shorter_time():
    lease = Lease()
    lease.confirm(asked_at=100.0, session_s=2.0)
    assert not lease.held(101.0)


def test_a_long_session_keeps_a_margin_in_proportion():
    lease = Lease()
    lease.confirm(asked_at=0.0, session_s=60.0)
    assert lease.held(47.9)
    assert not lease.held(48.0)


def test_what_is_lost_does_not_come_back(lease):
    lease.lose("ZooKeeper has ended the session")
    lease.confirm(asked_at=101.0, session_s=SESSION_S)
    assert lease.complaint(101.5) == "ZooKeeper has ended the session"


def test_the_first_reason_is_the_one_that_is_told(lease):
    lease.lose("first")
    lease.lose("second")
    assert lease.complaint(101.0) == "first"


def test_a_driver_is_left_alone_while_the_lock_is_held(lease):
    assert decide(Supervision(lease), 101.0) is Action.NOTHING


def test_silence_of_zookeeper_kills_the_driver_in_time(lease):
    supervision = Supervision(lease)
    assert decide(supervision, 103.9) is Action.NOTHING
    assert decide(supervision, 104.1) is Action.KILL


def test_a_lost_session_kills_the_driver_at_once(lease):
    lease.lose("gone")
    assert Supervision(lease).decide(101.0, ended=False, stop_wanted=False) == (Action.KILL, "gone")


def test_a_driver_that_ended_by_itself_is_cleaned_up_after(lease):
    assert decide(Supervision(lease), 101.0, ended=True) is Action.CLEAN_UP


def test_a_stop_asks_once_waits_and_then_kills():
    lease = Lease()
    lease.confirm(asked_at=0.0, session_s=1000.0)
    supervision = Supervision(lease, patience_s=30.0)
    assert decide(supervision, 10.0, stop_wanted=True) is Action.ASK_TO_END
    assert decide(supervision, 39.9, stop_wanted=True) is Action.NOTHING
    assert decide(supervision, 40.0, stop_wanted=True) is Action.KILL


def test_a_driver_that_finishes_its_batch_is_killed_all_the_same_when_the_lock_is_lost(lease):
    supervision = Supervision(lease)
    assert decide(supervision, 101.0, stop_wanted=True) is Action.ASK_TO_END
    assert decide(supervision, 104.1, stop_wanted=True) is Action.KILL
