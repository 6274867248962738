"""Destinations that vehicles show, and timetables: what is learned, when, and for how long."""

from streambed.analytics.catalogue import file_of, load
from streambed.analytics.timetables import Timetables, parse_name, read

Job = load(file_of("final-stop"))
DESTINATIONS = Job.summary
HOUR = 3_600_000


def said(second: int, stop: str | None = "10", *, eol: bool = False, route="1001", cell=7):
    return second * 1000, (route, 1, stop, eol, cell)


def rows(end: int, before: list, inside: list) -> set:
    slices = [[DESTINATIONS.of_slice(s) for s in part] for part in (before, inside)]
    return set(DESTINATIONS.of_window(end * 1000, *slices))


HEADING = ("1001", 1, True, None, None, None)


def test_a_vehicle_is_heading_where_its_newest_position_says():
    found = rows(5, [], [[said(1, route="1001"), said(2, route="1002")]])
    assert found == {("1002", 1, True, None, None, None), ("1001", 1, False, None, None, None)}


def test_the_stop_before_the_end_of_the_line_is_the_destination():
    found = rows(5, [], [[said(1, "10"), said(2, "11"), said(3, None, eol=True)]])
    assert found == {HEADING, ("1001", 1, False, "11", 7, 3000)}


def test_it_is_shown_between_slices_and_before_the_window_as_well():
    learned = ("1001", 1, False, "11", 7, 6000)
    assert learned in rows(10, [], [[said(4, "11")], [said(6, None, eol=True)]])
    assert learned in rows(20, [[said(4, "11")], [said(6, None, eol=True)]], [[said(12, "3")]])


def test_what_is_shown_after_the_end_of_a_window_is_not_known_in_it():
    summary = DESTINATIONS.of_slice([said(1, "11"), said(3, None, eol=True)])
    assert list(DESTINATIONS.of_window(3000, [], [summary]))[1:] == []


def test_another_line_a_long_silence_or_an_unknown_place_prove_nothing():
    for then in (
        said(2, None, eol=True, route="1002"),
        said(70, None, eol=True),
        said(2, None, eol=True, cell=None),
    ):
        assert not any(row[3] for row in rows(100, [], [[said(1, "11"), then]]))


def test_it_is_remembered_for_a_day():
    memory: dict = {}
    DESTINATIONS.keep(memory, DESTINATIONS.of_slice([said(1, "11"), said(2, None, eol=True)]), None)
    assert list(DESTINATIONS.of_memory(23 * HOUR, memory)) == [("1001", 1, False, "11", 7, 2000)]
    assert list(DESTINATIONS.of_memory(25 * HOUR, memory)) == []


STOPS = "stop_id,stop_name,stop_lat,stop_lon\n1,A,60.1,24.9\n2,B,60.2,24.9\n3,C,60.3,24.9\n"
TRIPS = "route_id,service_id,trip_id,trip_headsign,direction_id\n1001,d,t1,B,0\n1001,d,t2,C,0\n"
TIMES = "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"


def test_the_last_stop_of_most_trips_is_the_lines_and_of_equally_many_the_smaller():
    times = TIMES + "t1,0,0,1,1\nt1,0,0,2,10\nt2,0,0,3,2\n"
    found = read({"stops": STOPS, "trips": TRIPS, "stop_times": times}, 9)
    assert found.last_stops == {("1001", 1): "2"}
    more = TRIPS + "1001,d,t3,C,0\n"
    found = read({"stops": STOPS, "trips": more, "stop_times": times + "t3,0,0,3,1\n"}, 9)
    assert found.last_stops == {("1001", 1): "3"}


class FakeBucket:
    def __init__(self, **timetables):
        self.timetables = timetables

    def folders(self, _prefix):
        return list(self.timetables)

    def read(self, key):
        _, name, file = key.split("/")
        return self.timetables[name][file.removesuffix(".txt")].encode()


def test_a_newer_timetable_takes_over_from_the_moment_it_names():
    times = TIMES + "t1,0,0,2,1\n"
    old = {"stops": STOPS, "trips": TRIPS, "stop_times": times}
    new = old | {"stop_times": TIMES + "t1,0,0,3,1\n"}
    bucket = FakeBucket(**{"20260101T000000Z": old})
    clock = iter(range(0, 1000, 100))
    timetables = Timetables(bucket, 9, clock=lambda: next(clock))
    timetables._look()
    bucket.timetables["20260601T000000Z"] = new
    bucket.timetables["nonsense"] = {}
    bucket.timetables["20270101T000000Z"] = {"stops": "no timetable"}
    timetables._look()
    lines, _ = timetables.rows()
    moment = parse_name("20260601T000000Z")
    assert [(line[3] == moment, line[4] == moment) for line in lines] == [
        (False, True),
        (True, False),
    ]
