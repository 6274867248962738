"""HFP v2 messages into events.

The identity of a vehicle is that of the topic. The broker's copies are dropped by (vehicle, event,
time). Nulls stay nulls. A message that cannot be understood becomes a dead letter with the reason.

This is the hot path of ingestion. What a topic says stays the same from one stop to the next, so
it is parsed once and kept as the serialised beginning of the vehicle's position.
"""

from typing import Any, NamedTuple

import orjson

from streambed.events import JourneyEvent, StopEvent, VehiclePosition
from streambed.events.cells import FINE_RESOLUTION, fine_cell_of
from streambed.ingest.hfp.dedup import Recently
from streambed.ingest.hfp.topic import (
    EVENTS,
    GEOHASH_ELEMENTS,
    STOP_EVENTS,
    BadTopic,
    Journey,
    parse_topic,
)
from streambed.ingest.interfaces import Processor
from streambed.ingest.messages import DeadLetter, Drop, Outcome, RawMessage, Record
from streambed.ingest.options import OptionError
from streambed.ingest.times import parse_ms

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
IMPLAUSIBLE_SPEED = 500.0
NUMBERS_OR_NULL = {int, float, type(None)}
# Vehicles have five digits, so the copies of a fleet count on above them.
COPY_STEP = 100_000
TOPICS_KEPT = 50_000

DUPLICATE = Drop("duplicate")
UNWANTED_EVENT = Drop("event")
UNWANTED_MODE = Drop("mode")
OUTSIDE_AREA = Drop("area")


class BadField(ValueError):
    """A field of a payload that cannot be what it should be."""


class _Sender(NamedTuple):
    """What a topic says, made ready to be used for every message that has it."""

    journey: Journey
    key: bytes
    identity: bytes
    payload_name: str
    operator: int
    position_start: bytes
    unwanted: Drop | None


class HfpProcessor(Processor):
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
        self._senders: dict[tuple[str, int], _Sender] = {}

    def process(self, message: RawMessage, shift_ms: int = 0, copy: int = 0) -> Outcome:
        topic, content, _ = message
        try:
            sender = self._senders.get((topic.rsplit("/", GEOHASH_ELEMENTS)[0], copy))
            if sender is None:
                sender = self._meet(topic, copy)
        except BadTopic as error:
            return DeadLetter("topic", f"{error}.")
        if sender.unwanted is not None:
            return sender.unwanted
        if len(content) > LONGEST_PAYLOAD:
            return DeadLetter("too large", f"The payload has {len(content)} bytes.")

        try:
            payload = orjson.loads(content)[sender.payload_name]
            time = payload["tst"]
        except orjson.JSONDecodeError as error:
            return DeadLetter("not json", f"The payload is no JSON: {error}.")
        except (KeyError, TypeError, IndexError):
            name = sender.payload_name
            return DeadLetter("shape", f"The payload is no object with {name!r} and its 'tst'.")
        try:
            event_ms = parse_ms(time) + shift_ms
            if event_ms < 0:
                raise ValueError(f"{time!r} is before 1970")
        except (ValueError, TypeError, OverflowError) as error:
            return DeadLetter("time", f"tst: {error}.")

        identity = (sender.identity, event_ms)
        if identity in self._seen:
            return DUPLICATE
        try:
            record = self._record(sender, payload, event_ms, shift_ms)
        except (ValueError, TypeError, AttributeError, OverflowError) as error:
            return DeadLetter("field", f"{error}.")
        # Last, so that a mangled message does not keep a good one of the same time away.
        self._seen.add(identity)
        return record

    def _record(
        self, sender: _Sender, payload: dict[str, Any], event_ms: int, shift_ms: int
    ) -> Record | Drop:
        position = VehiclePosition.FromString(sender.position_start)
        get = payload.get
        latitude, longitude, speed, acceleration = get("lat"), get("long"), get("spd"), get("acc")
        if not {type(latitude), type(longitude), type(speed), type(acceleration)} <= (
            NUMBERS_OR_NULL
        ):
            raise BadField("one of lat, long, spd and acc is neither a number nor null")
        if latitude is not None:
            if not -90 <= latitude <= 90:
                raise BadField(f"lat: {latitude} is not on Earth")
            position.latitude = latitude
        if longitude is not None:
            if not -180 <= longitude <= 180:
                raise BadField(f"long: {longitude} is not on Earth")
            position.longitude = longitude
        if latitude is not None and longitude is not None:
            if self._area is not None and not self._in_area(latitude, longitude):
                return OUTSIDE_AREA
            position.cell = fine_cell_of(latitude, longitude, FINE_RESOLUTION)
        if speed is not None:
            if not -IMPLAUSIBLE_SPEED < speed < IMPLAUSIBLE_SPEED:
                raise BadField(f"spd: {speed} m/s is no speed of a vehicle")
            position.speed = speed
        if acceleration is not None:
            if not -IMPLAUSIBLE_SPEED < acceleration < IMPLAUSIBLE_SPEED:
                raise BadField(f"acc: {acceleration} m/s² is no acceleration of a vehicle")
            position.acceleration = acceleration
        _fill_the_rest(position, payload, sender.operator)

        event = sender.journey.event
        if event == "vp":
            return Record(POSITION_TOPIC, sender.key, event_ms, position)
        if event in STOP_EVENTS:
            stop = StopEvent(kind=STOP_KINDS[event], position=position)
            _schedule(stop.scheduled_arrival, get("ttarr"), shift_ms)
            _schedule(stop.scheduled_departure, get("ttdep"), shift_ms)
            return Record(STOP_TOPIC, sender.key, event_ms, stop)
        other = JourneyEvent(
            kind=JOURNEY_KINDS[event], position=position, signal=sender.journey.signal
        )
        return Record(JOURNEY_TOPIC, sender.key, event_ms, other)

    def _in_area(self, latitude: float, longitude: float) -> bool:
        south, west, north, east = self._area
        return south <= latitude <= north and west <= longitude <= east

    def _meet(self, topic: str, copy: int) -> _Sender:
        """Parse a topic, and keep what it says unless it is one of the few with a signal."""
        journey = parse_topic(topic)
        vehicle = journey.vehicle + copy * COPY_STEP
        key = f"{journey.operator:04d}/{vehicle:05d}".encode()
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
        unwanted = None
        if journey.event not in self._events:
            unwanted = UNWANTED_EVENT
        elif self._modes is not None and journey.mode not in self._modes:
            unwanted = UNWANTED_MODE
        sender = _Sender(
            journey=journey,
            key=key,
            identity=key + b"/" + journey.event.encode(),
            payload_name=journey.event.upper(),
            operator=journey.operator,
            position_start=start.SerializeToString(),
            unwanted=unwanted,
        )
        if journey.signal is None:
            if len(self._senders) >= TOPICS_KEPT:
                self._senders.clear()
            self._senders[topic.rsplit("/", GEOHASH_ELEMENTS)[0], copy] = sender
        return sender


def _fill_the_rest(position: VehiclePosition, payload: dict[str, Any], operator: int) -> None:
    """The fields that need no check of ours: protobuf refuses what does not fit its types."""
    get = payload.get
    position.designation = get("desi") or ""
    position.operating_day = get("oday") or ""
    position.location_source = get("loc") or ""
    value = get("oper")
    if value is not None and value != operator:
        position.reporting_operator = value
    value = get("jrn")
    if value is not None:
        position.journey = value
    value = get("line")
    if value is not None:
        position.line = value
    value = get("hdg")
    if value is not None:
        position.heading = value
    value = get("dl")
    if value is not None:
        position.delay = -value  # HFP counts being late as negative
    value = get("odo")
    if value is not None:
        position.odometer = int(value)
    value = get("drst")
    if value is not None:
        position.doors_open = bool(value)
    value = get("stop")
    if value is not None:
        position.stop = str(value)
    value = get("occu")
    if value is not None:
        position.occupancy = value
    value = get("seq")
    if value is not None:
        position.sequence = value


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
