"""Emergency stops: the machine by itself, position by position."""

from streambed.analytics.catalogue import file_of, load

EmergencyStop = load(file_of("emergency-stop"))
BRAKES = EmergencyStop().machine()


def drive(*speeds: float | None, every_ms: int = 1000, brakes=BRAKES):
    """Feed speeds, one a second, and return what is found."""
    memory, found = None, []
    for number, speed in enumerate(speeds):
        value = (speed, 60.1 + number, 24.9, 99, "bus", "1001")
        memory, rows = brakes.step(memory, "0012/00345", number * every_ms, value)
        found += rows
    return found


def test_from_fast_to_standing_within_five_seconds_is_an_emergency_stop():
    (stop,) = drive(14.0, 14.0, 9.5, 5.0, 0.5)
    assert stop[:6] == (12, 345, "bus", "1001", 1000, 4000)
    assert stop[6:9] == (14.0, 0.5, 4.5)
    assert stop[9:] == (64.1, 24.9, 99)


def test_it_begins_where_the_speed_began_to_fall():
    (stop,) = drive(14.5, 14.5, 10.0, 5.5, 1.0, 0.0)
    assert (stop[4], stop[6]) == (1000, 14.5)


def test_ordinary_braking_is_none():
    assert drive(10.0, 8.8, 7.6, 6.4, 5.2, 4.0, 2.8, 1.6, 0.4) == []


def test_an_unknown_speed_breaks_the_run():
    assert drive(14.0, None, 0.5) == []


def test_a_gap_breaks_the_run():
    assert drive(14.0, 0.5, every_ms=2001) == []
    assert len(drive(14.0, 0.5, every_ms=2000)) == 1


def test_a_stop_is_reported_once_however_long_it_lasts():
    assert len(drive(14.0, 7.0, 0.5, 0.0, 0.0, 0.0)) == 1


def test_two_stops_are_two():
    assert len(drive(14.0, 7.0, 0.5, 5.0, 12.0, 6.0, 0.0)) == 2


def test_slower_than_fast_and_faster_than_slow_are_none():
    assert drive(9.9, 5.0, 0.5) == []
    assert drive(14.0, 7.0, 1.0) == []


def test_the_limits_can_be_chosen():
    brakes = EmergencyStop(fast=8.0, within="3s").machine()
    assert len(drive(8.0, 4.0, 0.5, brakes=brakes)) == 1
    assert drive(8.0, 6.0, 4.0, 2.0, 0.5, brakes=brakes) == []


def test_what_is_remembered_of_a_vehicle_stays_small():
    memory = None
    for second in range(1000):
        memory, _ = BRAKES.step(memory, "v", second * 1000, (12.0, None, None, None, "bus", ""))
    assert len(memory) == 6
