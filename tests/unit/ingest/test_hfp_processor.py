"""HFP messages become events, with everything they say and nothing they do not."""

import pytest
from hfp_examples import METRO, METRO_TOPIC, TRAM_TOPIC, message, without
from streambed.events import JourneyEvent, StopEvent
from streambed.events.cells import fine_cell
from streambed.ingest.hfp.processor import HfpProcessor
from streambed.ingest.messages import DeadLetter, Drop, RawMessage, Record
from streambed.options import OptionError


def process(raw=None, **options):
    return HfpProcessor(**options).process(raw or message())


def nulls(position) -> set[str]:
    names = ("latitude", "longitude", "cell", "speed", "acceleration", "heading", "delay")
    names += ("odometer", "doors_open", "stop", "journey", "line")
    return {name for name in names if not position.HasField(name)}


def test_a_position_keeps_everything_that_the_vehicle_said():
    topic, key, event_ms, position = process()
    assert (topic, key, event_ms) == ("input.vehicle-position", b"0040/00456", 1_600_657_200_963)
    assert (position.operator, position.vehicle, position.mode) == (40, 456, "tram")
    assert (position.route, position.direction, position.headsign) == ("1006", 1, "Arabia")
    assert (position.start, position.next_stop, position.end_of_line) == ("05:47", "1111428", False)
    assert (position.latitude, position.longitude) == (60.178041, 24.950185)
    assert position.cell == fine_cell(60.178041, 24.950185)
    assert (position.speed, position.acceleration, position.heading) == (0.57, 0.56, 339)
    assert (position.odometer, position.doors_open, position.location_source) == (
        2653,
        False,
        "GPS",
    )
    assert (position.designation, position.operating_day) == ("6", "2020-09-21")
    assert (position.journey, position.line, position.occupancy) == (16, 34, 0)
    assert nulls(position) == {"stop"}


def test_late_is_positive():
    assert process(message(dl=-120)).details.delay == 120


def test_the_vehicle_is_the_one_of_the_topic():
    position = process(message(oper=12)).details
    assert position.operator == 40
    assert position.reporting_operator == 12
    assert not process().details.HasField("reporting_operator")


@pytest.mark.parametrize(
    ("field", "name"),
    [
        *(("lat", "latitude"), ("long", "longitude"), ("spd", "speed"), ("acc", "acceleration")),
        *(("hdg", "heading"), ("dl", "delay"), ("odo", "odometer"), ("stop", "stop")),
    ],
)
def test_null_is_not_zero(field, name):
    assert not process(message(**{field: None})).details.HasField(name)
    assert not process(message(without(field))).details.HasField(name)
    zero = process(message(**{field: 0})).details
    assert zero.HasField(name)
    assert getattr(zero, name) in (0, "0")


def test_half_a_position_has_no_cell():
    assert nulls(process(message(lat=None)).details) >= {"latitude", "cell"}
    assert nulls(process(message(long=None)).details) >= {"longitude", "cell"}


def test_a_metro_train_lacks_what_others_have():
    position = process(message(METRO, topic=METRO_TOPIC)).details
    assert nulls(position) == {
        *("acceleration", "delay", "odometer", "doors_open", "stop", "journey", "line"),
    }
    assert position.sequence == 2


def test_times_without_milliseconds_are_times():
    assert process(message(METRO, topic=METRO_TOPIC)).event_ms == 1_600_657_201_000


def test_the_end_of_the_line_is_no_stop():
    position = process(message(topic=TRAM_TOPIC.replace("1111428", "EOL"))).details
    assert position.end_of_line
    assert not position.HasField("next_stop")


def test_no_next_stop_is_not_the_end_of_the_line():
    position = process(message(topic=TRAM_TOPIC.replace("1111428", ""))).details
    assert not position.end_of_line
    assert not position.HasField("next_stop")


def test_an_arrival_knows_its_schedule():
    raw = message(event="arr", ttarr="2020-09-21T03:01:00Z", ttdep="2020-09-21T03:02:00Z")
    topic, _, _, stop = process(raw)
    assert topic == "input.stop-event"
    assert stop.kind == StopEvent.ARRIVING
    assert stop.scheduled_arrival.ToJsonString() == "2020-09-21T03:01:00Z"
    assert stop.scheduled_departure.ToJsonString() == "2020-09-21T03:02:00Z"
    assert stop.position.vehicle == 456


def test_an_arrival_without_a_schedule_has_none():
    stop = process(message(event="ars")).details
    assert not stop.HasField("scheduled_arrival")


def test_a_traffic_light_event_names_its_signal():
    topic, _, _, event = process(message(event="tlr", topic=f"{TRAM_TOPIC}/4711"))
    assert topic == "input.journey-event"
    assert (event.kind, event.signal) == (JourneyEvent.SIGNAL_REQUESTED, "4711")


def test_the_brokers_copies_are_dropped():
    processor = HfpProcessor()
    first, second = (processor.process(message()) for _ in range(2))
    assert isinstance(first, Record)
    assert second == Drop("duplicate")


def test_the_same_moment_of_another_event_or_vehicle_is_no_copy():
    processor = HfpProcessor()
    others = [
        message(),
        message(event="due"),
        message(topic=TRAM_TOPIC.replace("00456", "00457")),
        message(tst="2020-09-21T03:00:00.964Z"),
    ]
    assert all(isinstance(processor.process(raw), Record) for raw in others)


def test_a_mangled_message_does_not_keep_a_good_one_away():
    processor = HfpProcessor()
    assert isinstance(processor.process(message(spd="fast")), DeadLetter)
    assert isinstance(processor.process(message()), Record)


def test_copies_of_a_fleet_are_vehicles_of_their_own():
    processor = HfpProcessor()
    keys = [processor.process(message(), copy=copy).key for copy in range(3)]
    assert keys == [b"0040/00456", b"0040/100456", b"0040/200456"]


def test_a_shift_moves_all_times():
    raw = message(event="arr", ttarr="2020-09-21T03:01:00Z")
    record = HfpProcessor().process(raw, shift_ms=60_000)
    assert record.event_ms == 1_600_657_260_963
    assert record.details.scheduled_arrival.ToJsonString() == "2020-09-21T03:02:00Z"


def test_unwanted_events_modes_and_places_are_dropped_with_the_reason():
    assert process(events=["arr"]) == Drop("event")
    assert process(modes=["bus"]) == Drop("mode")
    assert process(area=[61.0, 24.0, 62.0, 25.0]) == Drop("area")
    wanted = process(events=["vp"], modes=["tram"], area=[60.0, 24.0, 61.0, 25.0])
    assert isinstance(wanted, Record)


def test_a_vehicle_that_does_not_know_its_place_is_not_outside_the_area():
    raw = message(lat=None, long=None)
    assert isinstance(process(raw, area=[61.0, 24.0, 62.0, 25.0]), Record)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (RawMessage("", b"", 0), "topic"),
        (RawMessage("/a/b/c", b"{}", 0), "topic"),
        (RawMessage(TRAM_TOPIC, b"", 0), "not json"),
        (RawMessage(TRAM_TOPIC, b"\xff\xfe", 0), "not json"),
        (RawMessage(TRAM_TOPIC, message().payload[:100], 0), "not json"),
        (RawMessage(TRAM_TOPIC, b"[1]", 0), "shape"),
        (RawMessage(TRAM_TOPIC, b'{"ARR": {}}', 0), "shape"),
        (RawMessage(TRAM_TOPIC, b'{"VP": null}', 0), "shape"),
        (RawMessage(TRAM_TOPIC, b'{"VP": {}}', 0), "shape"),
        (RawMessage(TRAM_TOPIC, b" " * 400_000, 0), "too large"),
        (message(tst=None), "time"),
        (message(tst=1600657200), "time"),
        (message(tst="yesterday"), "time"),
        (message(tst="2020-09-21T03:00:00.963"), "time"),
        (message(tst="1020-09-21T03:00:00.963Z"), "time"),
        (message(lat=91), "field"),
        (message(long=-180.5), "field"),
        (message(lat="60"), "field"),
        (message(spd=1e6), "field"),
        (message(spd=[]), "field"),
        (message(hdg=True), "field"),
        (message(jrn=-1), "field"),
        (message(line=2**40), "field"),
        (message(desi={"a": 1}), "field"),
        (message(event="arr", ttarr="soon"), "field"),
    ],
)
def test_what_cannot_be_understood_is_a_dead_letter_with_the_reason(raw, reason):
    outcome = process(raw)
    assert isinstance(outcome, DeadLetter)
    assert outcome.reason == reason
    assert outcome.sentence


def test_memory_for_copies_is_bounded():
    processor = HfpProcessor(remember=100)
    for ms in range(1000):
        processor.process(message(tst=f"2020-09-21T03:00:00.{ms:03d}Z"))
    assert len(processor._seen) <= 200
    assert processor.process(message(tst="2020-09-21T03:00:00.950Z")) == Drop("duplicate")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"events": ["vp", "xy"]}, "events: 'xy' is not one of"),
        ({"modes": ["car"]}, "modes: 'car' is not one of bus, tram"),
        ({"area": [1.0, 2.0]}, "area: must be"),
        ({"remember": 0}, "remember: must be at least 1"),
    ],
)
def test_options_that_cannot_work_are_refused(options, sentence):
    with pytest.raises(OptionError, match=sentence):
        HfpProcessor(**options)
