"""HFP v2 messages into events.

The identity of a vehicle is that of the topic. The broker's copies are dropped by (vehicle, event,
time). Nulls stay nulls. A message that cannot be understood becomes a dead letter with the reason.

This is the hot path of ingestion. What a topic says stays the same from one stop to the next, so
it is parsed once and kept as the serialised beginning of the vehicle's position.
"""

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

import orjson

from streambed.events import JourneyEvent, StopEvent, VehiclePosition
from streambed.events.cells import FINE_RESOLUTION, fine_cell_of
from streambed.ingest.hfp.dedup import Recently
from streambed.ingest.hfp.topic import (
    EVENTS,
    GEOHASH_ELEMENTS,
    PREFIX,
    BadTopic,
    parse_topic,
)
from streambed.ingest.interfaces import Processor
from streambed.ingest.messages import DeadLetter, Drop, Outcome, RawMessage, Record, make_record
from streambed.ingest.times import parse_ms
from streambed.options import OptionError

MODES = ("bus", "tram", "train", "ferry", "metro", "ubus", "robot")

POSITION_TOPIC = "input.vehicle-position"
STOP_TOPIC = "input.stop-event"
JOURNEY_TOPIC = "input.journey-event"

STOP_KINDS = {
    "due": StopEvent.DUE,
    "arr": StopEvent.ARRIVING,
    "ars": StopEvent.ARRIVED,
    "pde": StopEvent.READY,
    "dep": StopEvent.DEPARTED,
    "pas": StopEvent.PASSED,
    "wait": StopEvent.WAITING,
    "doo": StopEvent.DOORS_OPENED,
    "doc": StopEvent.DOORS_CLOSED,
}
JOURNEY_KINDS = {
    "tlr": JourneyEvent.SIGNAL_REQUESTED,
    "tla": JourneyEvent.SIGNAL_ANSWERED,
    "da": JourneyEvent.DRIVER_SIGNED_IN,
    "dout": JourneyEvent.DRIVER_SIGNED_OUT,
    "ba": JourneyEvent.BLOCK_SELECTED,
    "bout": JourneyEvent.BLOCK_LEFT,
    "vja": JourneyEvent.JOURNEY_SIGNED_IN,
    "vjout": JourneyEvent.JOURNEY_SIGNED_OUT,
}

# A payload is 300 bytes; one that is a thousand times as long is none.
LONGEST_PAYLOAD = 300_000
# Faster than anything on rails: the field is broken, and so may be the others.
IMPLAUSIBLE = 500.0
# Vehicles have five digits, so the copies of a fleet count on above them.
COPY_STEP = 100_000
TOPICS_KEPT = 50_000

MEASUREMENTS = ("lat", "long", "spd", "acc", "hdg", "dl", "odo", "drst", "stop")
FACTS = ("desi", "oday", "loc", "oper", "jrn", "line", "occu")
measurements_of, facts_of = itemgetter(*MEASUREMENTS), itemgetter(*FACTS)

DUPLICATE = Drop("duplicate")
UNWANTED_EVENT = Drop("event")
UNWANTED_MODE = Drop("mode")
OUTSIDE_AREA = Drop("area")


class BadField(ValueError):
    """A field of a payload that cannot be what it should be."""


@dataclass(slots=True)
class _Sender:
    """What a topic says, made ready to be used for every message of that journey.

    `start` is the beginning of the vehicle's position, serialised; and `facts` what its payloads
    say of the journey, `start_with_facts` being both. They are the same from message to message.
    """

    key: bytes
    operator: int
    start: bytes
    unwanted: Drop | None
    signal: str | None
    facts: tuple | None = None
    start_with_facts: bytes = b""


class HfpProcessor(Processor):
    position_topic, stop_topic, journey_topic = topics = (POSITION_TOPIC, STOP_TOPIC, JOURNEY_TOPIC)

    def __init__(
        self,
        *,
        events: list[str] | None = None,
        modes: list[str] | None = None,
        area: list[float] | None = None,
        remember: int = 250_000,
    ) -> None:
        """`area` is south, west, north, east in degrees; positions outside it are dropped, unknown
        ones are not. `remember` is how many messages the memory for duplicates holds at least."""
        self._events = _chosen("events", events, sorted(EVENTS))
        self._modes = None if modes is None else _chosen("modes", modes, MODES)
        self._area = _checked_area(area)
        if remember < 1:
            raise OptionError(f"remember: must be at least 1; found {remember}.")
        self._seen = Recently(remember)
        self._topics: dict[tuple[str, int], tuple[str, _Sender]] = {}
        self._senders: dict[tuple[str, str, int], _Sender] = {}

    def process(self, message: RawMessage, shift_ms: int = 0, copy: int = 0) -> Outcome:
        topic, content, _ = message
        # Two memories: of whole topics but for the place, and of journeys, which are fewer.
        topic_known = (topic.rsplit("/", GEOHASH_ELEMENTS)[0], copy)
        who_and_what = self._topics.get(topic_known)
        if who_and_what is None:
            try:
                who_and_what = self._who_says_what(topic, copy)
            except BadTopic as error:
                return DeadLetter("topic", f"{error}.")
            if who_and_what[1].signal is None:
                _keep(self._topics, topic_known, who_and_what)
        event, sender = who_and_what
        if event not in self._events:
            return UNWANTED_EVENT
        if sender.unwanted is not None:
            return sender.unwanted
        if len(content) > LONGEST_PAYLOAD:
            return DeadLetter("too large", f"The payload has {len(content)} bytes.")

        try:
            payload = orjson.loads(content)[event.upper()]
            time = payload["tst"]
        except orjson.JSONDecodeError as error:
            return DeadLetter("not json", f"The payload is no JSON: {error}.")
        except (KeyError, TypeError, IndexError):
            return DeadLetter("shape", f"The payload is no object of {event!r} with a 'tst'.")
        try:
            event_ms = parse_ms(time) + shift_ms
            if event_ms < 0:
                raise ValueError(f"{time!r} is before 1970")
        except (ValueError, TypeError, OverflowError) as error:
            return DeadLetter("time", f"tst: {error}.")

        identity = (sender.key, event, event_ms)
        seen = self._seen
        if identity in seen.young or identity in seen.old:
            return DUPLICATE
        try:
            record = self._record(sender, event, payload, event_ms, shift_ms)
        except (ValueError, TypeError, AttributeError, OverflowError) as error:
            return DeadLetter("field", f"{error}.")
        # Last, so that a mangled message does not keep a good one of the same time away.
        seen.add(identity)
        return record

    def _record(
        self, sender: _Sender, event: str, payload: dict[str, Any], event_ms: int, shift_ms: int
    ) -> Record | Drop:
        try:
            values, facts = measurements_of(payload), facts_of(payload)
        except KeyError:  # of a metro train, for example
            values = tuple(map(payload.get, MEASUREMENTS))
            facts = tuple(map(payload.get, FACTS))
        if facts != sender.facts:
            _note(sender, facts)
        position = VehiclePosition.FromString(sender.start_with_facts)
        _fill(position, values)
        if self._area is not None and self._is_outside(position):
            return OUTSIDE_AREA
        if "seq" in payload and payload["seq"] is not None:
            position.sequence = payload["seq"]

        if event == "vp":
            return make_record((self.position_topic, sender.key, event_ms, position))
        if event in STOP_KINDS:
            stop = StopEvent(kind=STOP_KINDS[event], position=position)
            _schedule(stop.scheduled_arrival, payload.get("ttarr"), shift_ms)
            _schedule(stop.scheduled_departure, payload.get("ttdep"), shift_ms)
            return Record(self.stop_topic, sender.key, event_ms, stop)
        other = JourneyEvent(kind=JOURNEY_KINDS[event], position=position, signal=sender.signal)
        return Record(self.journey_topic, sender.key, event_ms, other)

    def _is_outside(self, position: VehiclePosition) -> bool:
        south, west, north, east = self._area
        return position.HasField("cell") and not (
            south <= position.latitude <= north and west <= position.longitude <= east
        )

    def _who_says_what(self, topic: str, copy: int) -> tuple[str, _Sender]:
        parts = topic.split("/", 6)
        if len(parts) != 7 or not topic.startswith(PREFIX):
            raise BadTopic(f"{topic!r} is not the topic of an HFP v2 journey")
        event = parts[5]
        if event not in EVENTS:
            raise BadTopic(f"{event!r} is no event of HFP v2")
        journey = (parts[4], parts[6].rsplit("/", GEOHASH_ELEMENTS)[0], copy)
        sender = self._senders.get(journey)
        if sender is None:
            sender = self._meet(topic, copy)
            if sender.signal is None:  # the few topics with a signal are parsed every time
                _keep(self._senders, journey, sender)
        return event, sender

    def _meet(self, topic: str, copy: int) -> _Sender:
        journey = parse_topic(topic)
        vehicle = journey.vehicle + copy * COPY_STEP
        start = VehiclePosition(
            operator=journey.operator,
            vehicle=vehicle,
            mode=journey.mode,
            route=journey.route,
            direction=journey.direction,
            headsign=journey.headsign,
            start=journey.start,
            next_stop=journey.next_stop,
            end_of_line=journey.end_of_line,
            upcoming=journey.upcoming,
        )
        wanted = self._modes is None or journey.mode in self._modes
        return _Sender(
            key=f"{journey.operator:04d}/{vehicle:05d}".encode(),
            operator=journey.operator,
            start=start.SerializeToString(),
            unwanted=None if wanted else UNWANTED_MODE,
            signal=journey.signal,
        )


def _note(sender: _Sender, facts: tuple) -> None:
    """Serialise what the payloads of a journey say again and again."""
    if bool in map(type, facts):
        raise BadField("one of desi, oday, loc, oper, jrn, line and occu is true or false")
    desi, oday, loc, oper, jrn, line, occu = facts
    position = VehiclePosition.FromString(sender.start)
    if desi:
        position.designation = desi
    if oday:
        position.operating_day = oday
    if loc:
        position.location_source = loc
    if oper != sender.operator and oper is not None:
        position.reporting_operator = oper
    if jrn is not None:
        position.journey = jrn
    if line is not None:
        position.line = line
    if occu is not None:
        position.occupancy = occu
    sender.start_with_facts = position.SerializeToString()
    sender.facts = facts


def _fill(position: VehiclePosition, values: tuple) -> None:
    """Set what is not null; protobuf refuses what does not fit its types."""
    lat, long, spd, acc, hdg, dl, odo, drst, stop = values
    if type(lat) is float or _is_given("lat", lat):
        if not -90 <= lat <= 90:
            raise BadField(f"lat: {lat} is not on Earth")
        position.latitude = lat
    if type(long) is float or _is_given("long", long):
        if not -180 <= long <= 180:
            raise BadField(f"long: {long} is not on Earth")
        position.longitude = long
        if lat is not None:
            position.cell = fine_cell_of(lat, long, FINE_RESOLUTION)
    if type(spd) is float or _is_given("spd", spd):
        if not -IMPLAUSIBLE < spd < IMPLAUSIBLE:
            raise BadField(f"spd: {spd} m/s is no speed of a vehicle")
        position.speed = spd
    if type(acc) is float or _is_given("acc", acc):
        if not -IMPLAUSIBLE < acc < IMPLAUSIBLE:
            raise BadField(f"acc: {acc} m/s² is no acceleration of a vehicle")
        position.acceleration = acc
    if type(hdg) is int or _is_given("hdg", hdg):
        position.heading = hdg
    if type(dl) is int or _is_given("dl", dl):
        position.delay = -dl  # HFP counts being late as negative
    if type(odo) is int or _is_given("odo", odo):
        position.odometer = int(odo)
    if drst is not None:
        position.doors_open = bool(drst)
    if stop is not None:
        if type(stop) is not int and type(stop) is not str:
            raise BadField(f"stop: {stop!r} is no stop")
        position.stop = str(stop)


def _keep(memory: dict, name: Any, value: Any) -> None:
    """Remember, but never more than a city needs: topics are the world's, memory is ours."""
    if len(memory) >= TOPICS_KEPT:
        memory.clear()
    memory[name] = value


def _is_given(name: str, value: Any) -> bool:
    """Whether a number is there; protobuf would take a boolean for one as well."""
    if value is None:
        return False
    if type(value) is not int and type(value) is not float:
        raise BadField(f"{name}: {value!r} is not a number")
    return True


def _schedule(field: Any, time: str | None, shift_ms: int) -> None:
    if time is not None:
        field.FromMilliseconds(parse_ms(time) + shift_ms)


def _chosen(option: str, names: list[str] | None, known: Any) -> frozenset[str]:
    if names is None:
        return frozenset(known)
    for name in names:
        if name not in known:
            raise OptionError(f"{option}: {name!r} is not one of {', '.join(known)}.")
    return frozenset(names)


def _checked_area(area: list[float] | None) -> list[float] | None:
    if area is not None and not (len(area) == 4 and area[0] < area[2] and area[1] < area[3]):
        raise OptionError(f"area: must be [south, west, north, east]; found {area}.")
    return area
