"""The simulated fleet is deterministic, plausible, and tells the truth about itself."""

import json
from collections import defaultdict
from itertools import pairwise

import pytest
from streambed.ingest.hfp.processor import HfpProcessor
from streambed.ingest.hfp.topic import parse_topic
from streambed.ingest.messages import DeadLetter, Drop, RawMessage, Record
from streambed.ingest.simulator.fleet import Fleet
from streambed.ingest.simulator.imperfections import PERFECT, Rates
from streambed.ingest.simulator.timetable import write_timetable

START_MS = 1_777_874_400_000


def arrivals(seconds=120, vehicles=30, seed=1, rates=PERFECT, fleet=None) -> list:
    fleet = fleet or Fleet(vehicles, seed, START_MS, rates)
    return [arrival for second in fleet.seconds(seconds) for arrival in second]


def positions(said) -> dict[str, list]:
    """The positions of each vehicle, in the order of event time."""
    tracks = defaultdict(list)
    processor = HfpProcessor(events=["vp"])
    for arrival in said:
        outcome = processor.process(RawMessage(arrival.topic, arrival.payload, arrival.arrival_ms))
        if isinstance(outcome, Record):
            tracks[outcome.key].append((outcome.event_ms, outcome.details))
    return {key: sorted(track, key=lambda row: row[0]) for key, track in tracks.items()}


def emergency_stops(tracks) -> set[tuple[str, int]]:
    """The plainest detector: from 10 m/s to under 1 m/s within 5 s, by contiguous positions."""
    found = set()
    for key, track in tracks.items():
        for place, (end_ms, end) in enumerate(track):
            if not end.HasField("speed") or end.speed >= 1:
                continue
            before = track[place - 1][1]
            if place and before.HasField("speed") and before.speed < 1:
                continue  # it stood already
            for began_ms, began in reversed(track[max(0, place - 6) : place]):
                if end_ms - began_ms > 5000 or not began.HasField("speed"):
                    break
                if began.speed >= 10:
                    found.add((key.decode(), end_ms))
                    break
    return found


def test_the_same_seed_says_the_same():
    assert arrivals(rates=Rates()) == arrivals(rates=Rates())
    assert arrivals(rates=Rates()) != arrivals(rates=Rates(), seed=2)


def test_a_perfect_fleet_says_one_position_per_vehicle_and_second():
    said = arrivals(seconds=60, vehicles=20)
    assert sum(parse_topic(arrival.topic).event == "vp" for arrival in said) == 60 * 20
    assert len({arrival.identity for arrival in said}) == len(said)


def test_every_message_is_understood():
    processor = HfpProcessor()
    for arrival in arrivals(rates=Rates(garbage=0)):
        raw = RawMessage(arrival.topic, arrival.payload, arrival.arrival_ms)
        assert not isinstance(processor.process(raw), DeadLetter), arrival


def test_topic_and_payload_agree():
    for arrival in arrivals(seconds=60):
        journey = parse_topic(arrival.topic)
        (payload,) = json.loads(arrival.payload).values()
        assert (journey.vehicle, journey.route) == (payload["veh"], payload["route"])


def test_vehicles_move_stop_arrive_and_turn_round():
    said = arrivals(seconds=1800, vehicles=5)
    events = {parse_topic(arrival.topic).event for arrival in said}
    assert events >= {"vp", "due", "arr", "ars", "doo", "doc", "pde", "dep"}
    speeds = [row.speed for track in positions(said).values() for _, row in track]
    assert max(speeds) <= 14.5
    assert 2.5 < sum(speeds) / len(speeds) < 8
    directions = {parse_topic(arrival.topic).direction for arrival in said}
    assert directions == {1, 2}
    assert any(parse_topic(arrival.topic).end_of_line for arrival in said)


def test_vehicles_do_not_jump():
    for track in positions(arrivals(seconds=300, vehicles=10)).values():
        for (_, a), (_, b) in pairwise(track):
            north, east = (b.latitude - a.latitude) * 111_320, (b.longitude - a.longitude) * 55_400
            assert (north**2 + east**2) ** 0.5 < 25


def test_ordinary_driving_holds_no_emergency_stop():
    assert emergency_stops(positions(arrivals(seconds=1200, vehicles=40))) == set()


def test_planted_emergency_stops_are_there_and_no_others():
    fleet = Fleet(40, 3, START_MS, Rates(emergency_stops=20, nulls=0.05, garbage=0.01))
    found = emergency_stops(positions(arrivals(seconds=600, fleet=fleet)))
    planted = {
        (f"{stop.operator:04d}/{stop.vehicle:05d}", stop.ended_ms) for stop in fleet.emergency_stops
    }
    assert len(planted) > 20
    assert found == planted


def test_the_truth_says_what_a_processor_finds():
    fleet = Fleet(50, 1, START_MS, Rates(duplicates=0.1, garbage=0.02, radio_losses=60))
    processor = HfpProcessor()
    outcomes = defaultdict(int)
    for arrival in arrivals(fleet=fleet):
        raw = RawMessage(arrival.topic, arrival.payload, arrival.arrival_ms)
        outcomes[type(processor.process(raw))] += 1
    said = fleet.summary()
    assert outcomes[DeadLetter] == said["garbage"] > 0
    assert outcomes[Drop] == said["duplicates"] > 0
    kinds = ("vp", "due", "arr", "ars", "doo", "doc", "pde", "dep", "vja")
    assert outcomes[Record] == sum(said.get(kind, 0) for kind in kinds)


def test_a_lost_radio_sends_its_backlog_late_and_in_order():
    rates = Rates(radio_losses=60, reordered=0, duplicates=0, garbage=0)
    said = arrivals(rates=rates, seconds=300)
    late = [a for a in said if a.arrival_ms - int(a.identity.split()[2]) > 2000]
    assert late
    per_vehicle = defaultdict(list)
    for arrival in said:
        vehicle, _, event_ms = arrival.identity.split()
        per_vehicle[vehicle].append(int(event_ms))
    assert all(times == sorted(times) for times in per_vehicle.values())


def test_nulls_and_overtaken_messages_come_at_their_rates():
    fleet = Fleet(50, 1, START_MS, Rates(nulls=0.1, reordered=0.1))
    arrivals(seconds=100, fleet=fleet)
    said = fleet.summary()
    assert 300 < said["nulls"] < 700
    assert 300 < said["overtaken"] < 900


def test_arrivals_are_in_the_order_of_arrival():
    times = [arrival.arrival_ms for arrival in arrivals(rates=Rates())]
    assert times == sorted(times)


def test_the_timetable_knows_the_stops_of_most_lines(tmp_path):
    fleet = Fleet(120, 1, START_MS, PERFECT)
    write_timetable(fleet.lines, tmp_path)
    trips = (tmp_path / "trips.txt").read_text().splitlines()
    assert trips[0] == "route_id,service_id,trip_id,trip_headsign,direction_id"
    assert len(trips) - 1 == 2 * (len(fleet.lines) - len(fleet.lines) // 10)
    stops = {line.split(",")[0] for line in (tmp_path / "stops.txt").read_text().splitlines()}
    visits = (tmp_path / "stop_times.txt").read_text().splitlines()[1:]
    assert {visit.split(",")[3] for visit in visits} <= stops


@pytest.mark.parametrize("rate", [{"nulls": 1.5}, {"duplicates": -1}, {"radio_losses": 4000}])
def test_rates_that_cannot_be_are_refused(rate):
    with pytest.raises(Exception, match="must be from 0 to"):
        Rates(**rate)
