"""The topic of an HFP message: who sent it, on which journey, and roughly where.

    /hfp/v2/journey/ongoing/vp/tram/0040/00456/1006/1/Arabia/05:47/1111428/5/60;24/19/75/80

The last five elements are a geohash of decimals: its level says how many of them changed since the
message before, and the digits are truncated, not rounded. Traffic light events add one more, a
signal. The journey is everything before, and stays the same for many messages.
"""

import re
from typing import NamedTuple

PREFIX = "/hfp/v2/journey/"
JOURNEY_ELEMENTS = 14
GEOHASH_ELEMENTS = 5
NO_POSITION = "0////"

POSITION_EVENTS = frozenset({"vp"})
STOP_EVENTS = frozenset({"due", "arr", "ars", "dep", "pde", "pas", "wait", "doo", "doc"})
SIGNAL_EVENTS = frozenset({"tlr", "tla"})
JOURNEY_EVENTS = SIGNAL_EVENTS | {"da", "dout", "ba", "bout", "vja", "vjout"}
EVENTS = POSITION_EVENTS | STOP_EVENTS | JOURNEY_EVENTS

END_OF_LINE = "EOL"

_OPERATOR = re.compile(r"[0-9]{4}")
_VEHICLE = re.compile(r"[0-9]{5}")
_DIRECTION = re.compile(r"[0-9]?")


class BadTopic(ValueError):
    """A topic that is not HFP's, with a sentence about what is wrong."""


class Journey(NamedTuple):
    upcoming: bool
    event: str
    mode: str
    operator: int
    vehicle: int
    route: str
    direction: int | None
    headsign: str
    start: str
    next_stop: str | None
    end_of_line: bool
    signal: str | None = None


def split_topic(topic: str) -> tuple[str, str | None]:
    """The journey's part of a topic, and the signal that traffic light events end with."""
    parts = topic.rsplit("/", GEOHASH_ELEMENTS)
    journey = parts[0]
    if journey.count("/") == JOURNEY_ELEMENTS:  # one more than a journey has
        return journey.rpartition("/")[0], parts[-1]
    return journey, None


def parse_journey(journey: str, signal: str | None = None) -> Journey:
    elements = journey.split("/")
    if len(elements) != JOURNEY_ELEMENTS or not journey.startswith(PREFIX):
        raise BadTopic(f"{journey!r} is not the topic of an HFP v2 journey")
    _, _, _, _, state, event, mode, operator, vehicle, *rest = elements
    route, direction, headsign, start, next_stop = rest
    if state not in ("ongoing", "upcoming"):
        raise BadTopic(f"{state!r} is neither 'ongoing' nor 'upcoming'")
    if event not in EVENTS:
        raise BadTopic(f"{event!r} is no event of HFP v2")
    if signal is not None and event not in SIGNAL_EVENTS:
        raise BadTopic(f"the event {event!r} has no signal, but the topic ends with {signal!r}")
    if not (_OPERATOR.fullmatch(operator) and _VEHICLE.fullmatch(vehicle)):
        raise BadTopic(f"{operator!r}/{vehicle!r} is no vehicle")
    if not _DIRECTION.fullmatch(direction):
        raise BadTopic(f"{direction!r} is no direction")
    return Journey(
        upcoming=state == "upcoming",
        event=event,
        mode=mode,
        operator=int(operator),
        vehicle=int(vehicle),
        route=route,
        direction=int(direction) if direction else None,
        headsign=headsign,
        start=start,
        next_stop=None if next_stop in ("", END_OF_LINE) else next_stop,
        end_of_line=next_stop == END_OF_LINE,
        signal=signal,
    )


def parse_topic(topic: str) -> Journey:
    return parse_journey(*split_topic(topic))


def format_topic(journey: Journey, geohash: str = NO_POSITION) -> str:
    state = "upcoming" if journey.upcoming else "ongoing"
    direction = "" if journey.direction is None else journey.direction
    next_stop = END_OF_LINE if journey.end_of_line else journey.next_stop or ""
    signal = "" if journey.signal is None else f"/{journey.signal}"
    return (
        f"{PREFIX}{state}/{journey.event}/{journey.mode}/{journey.operator:04d}"
        f"/{journey.vehicle:05d}/{journey.route}/{direction}/{journey.headsign}/{journey.start}"
        f"/{next_stop}/{geohash}{signal}"
    )


def geohash(latitude: float, longitude: float, level: int = 5) -> str:
    """The last elements of a topic: (60.123, 24.789) at level 5 is `5/60;24/17/28/39`."""
    # Seven decimals are one more than HFP sends: nothing can be rounded up into the third.
    lat_whole, _, lat = f"{latitude:.7f}".partition(".")
    lon_whole, _, lon = f"{longitude:.7f}".partition(".")
    digits = "/".join(f"{lat[place]}{lon[place]}" for place in range(3))
    return f"{level}/{lat_whole};{lon_whole}/{digits}"
