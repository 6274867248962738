"""HFP v2 messages into events.

The identity of a vehicle is that of the topic. The broker's copies are dropped by (vehicle, event,
time). Nulls stay nulls. A message that cannot be understood becomes a dead letter with the reason.

This is the hot path of ingestion. What a topic says stays the same from one stop to the next, so
it is parsed once and kept as the serialised beginning of the vehicle's position.
"""

from operator import itemgetter
from typing import Any, NamedTuple

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
IMPLAUSIBLE = 500.0
# Vehicles have five digits, so the copies of a fleet count on above them.
COPY_STEP = 100_000
TOPICS_KEPT = 50_000

FIELDS = (
    *("lat", "long", "spd", "acc", "hdg", "dl", "odo", "drst", "stop"),
    *("desi", "oday", "loc", "oper", "jrn", "line", "occu"),
)
all_fields_of = itemgetter(*FIELDS)

DUPLICATE = Drop("duplicate")
UNWANTED_EVENT = Drop("event")
UNWANTED_MODE = Drop("mode")
OUTSIDE_AREA = Drop("area")


class BadField(ValueError):
    """A field of a payload that cannot be what it should be."""


class _Sender(NamedTuple):
    """What a topic says, made ready to be used for every message of that journey."""

    key: bytes
    operator: int
    position_start: bytes
    unwanted: Drop | None
    signal: str | None


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
        self._senders: dict[tuple[str, str, int], _Sender] = {}

    def process(self, message: RawMessage, shift_ms: int = 0, copy: int = 0) -> Outcome:
        topic, content, _ = message
        try:
            event, sender = self._who_says_what(topic, copy)
        except BadTopic as error:
            return DeadLetter("topic", f"{error}.")
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
        if identity in self._seen:
            return DUPLICATE
        try:
            if b"true" in content or b"false" in content:  # protobuf would take them for numbers
                _refuse_booleans(payload)
            record = self._record(sender, event, payload, event_ms, shift_ms)
        except (ValueError, TypeError, AttributeError, OverflowError) as error:
            return DeadLetter("field", f"{error}.")
        # Last, so that a mangled message does not keep a good one of the same time away.
        self._seen.add(identity)
        return record

    def _record(
        self, sender: _Sender, event: str, payload: dict[str, Any], event_ms: int, shift_ms: int
    ) -> Record | Drop:
        position = VehiclePosition.FromString(sender.position_start)
        try:
            values = all_fields_of(payload)
        except KeyError:  # of a metro train, for example
            values = tuple(map(payload.get, FIELDS))
        _fill(position, values, sender.operator)
        if self._area is not None and self._is_outside(position):
            return OUTSIDE_AREA
        if "seq" in payload and payload["seq"] is not None:
            position.sequence = payload["seq"]

        if event == "vp":
            return make_record((POSITION_TOPIC, sender.key, event_ms, position))
        if event in STOP_KINDS:
            stop = StopEvent(kind=STOP_KINDS[event], position=position)
            _schedule(stop.scheduled_arrival, payload.get("ttarr"), shift_ms)
            _schedule(stop.scheduled_departure, payload.get("ttdep"), shift_ms)
            return Record(STOP_TOPIC, sender.key, event_ms, stop)
        other = JourneyEvent(kind=JOURNEY_KINDS[event], position=position, signal=sender.signal)
        return Record(JOURNEY_TOPIC, sender.key, event_ms, other)

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
                if len(self._senders) >= TOPICS_KEPT:
                    self._senders.clear()
                self._senders[journey] = sender
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
            position_start=start.SerializeToString(),
            unwanted=None if wanted else UNWANTED_MODE,
            signal=journey.signal,
        )


def _fill(position: VehiclePosition, values: tuple, operator: int) -> None:
    """Set what is not null; protobuf refuses what does not fit its types."""
    lat, long, spd, acc, hdg, dl, odo, drst, stop, desi, oday, loc, oper, jrn, line, occu = values
    if lat is not None:
        if not -90 <= lat <= 90:
            raise BadField(f"lat: {lat} is not on Earth")
        position.latitude = lat
    if long is not None:
        if not -180 <= long <= 180:
            raise BadField(f"long: {long} is not on Earth")
        position.longitude = long
        if lat is not None:
            position.cell = fine_cell_of(lat, long, FINE_RESOLUTION)
    if spd is not None:
        if not -IMPLAUSIBLE < spd < IMPLAUSIBLE:
            raise BadField(f"spd: {spd} m/s is no speed of a vehicle")
        position.speed = spd
    if acc is not None:
        if not -IMPLAUSIBLE < acc < IMPLAUSIBLE:
            raise BadField(f"acc: {acc} m/s² is no acceleration of a vehicle")
        position.acceleration = acc
    if hdg is not None:
        position.heading = hdg
    if dl is not None:
        position.delay = -dl  # HFP counts being late as negative
    if odo is not None:
        position.odometer = int(odo)
    if drst is not None:
        position.doors_open = bool(drst)
    if stop is not None:
        position.stop = str(stop)
    if desi:
        position.designation = desi
    if oday:
        position.operating_day = oday
    if loc:
        position.location_source = loc
    if oper != operator and oper is not None:
        position.reporting_operator = oper
    if jrn is not None:
        position.journey = jrn
    if line is not None:
        position.line = line
    if occu is not None:
        position.occupancy = occu


def _refuse_booleans(payload: dict[str, Any]) -> None:
    for name, value in payload.items():
        if type(value) is bool and name != "drst":
            raise BadField(f"{name}: {value} is neither a number nor text")


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
