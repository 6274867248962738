"""Events as bytes, in two wire modes: `binary` (protobuf) and `json` (protobuf's JSON mapping).

A stage chooses the mode; a record's header `wire` tells it, so that readers understand both, also
while a stage changes from one to the other. Both keep every value and every null exactly.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message
from google.protobuf.timestamp_pb2 import Timestamp

from streambed.events import INPUTS, RESULTS, Event

WireMode = Literal["binary", "json"]
WIRE_MODES: tuple[WireMode, ...] = ("binary", "json")
WIRE_HEADER = "wire"

TYPE_PREFIX = "type.googleapis.com/"
TYPES: dict[str, type[Message]] = {
    TYPE_PREFIX + type_.DESCRIPTOR.full_name: type_ for type_ in (*INPUTS, *RESULTS)
}

# (event time in ms, ingestion time in ms, details) -> the value of a record
Encoder = Callable[[int, int, Message], bytes]


class UndecodableRecord(Exception):
    """A record that is no event of ours. `reason` is one of a few; the text says more."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason


class Decoded(NamedTuple):
    event: Event
    details: Message


def headers(mode: WireMode) -> list[tuple[str, bytes]]:
    """What to put beside a value, so that readers know how to decode it."""
    return [(WIRE_HEADER, mode.encode())]


def wire_mode(record_headers: Iterable[tuple[str, bytes]] | None) -> WireMode:
    """The wire mode that a record's headers tell."""
    for name, value in record_headers or ():
        if name == WIRE_HEADER:
            for mode in WIRE_MODES:
                if value == mode.encode():
                    return mode
            raise UndecodableRecord("unknown wire mode", f"{value!r} is no wire mode.")
    raise UndecodableRecord("unknown wire mode", f"The record has no header {WIRE_HEADER!r}.")


def type_url(details: Message) -> str:
    return TYPE_PREFIX + details.DESCRIPTOR.full_name


def encode(event: Event, mode: WireMode) -> bytes:
    if mode == "binary":
        return event.SerializeToString()
    return json_format.MessageToJson(event, indent=None, ensure_ascii=False).encode()


def decode(value: bytes | None, mode: WireMode) -> Decoded:
    """The event in a record's value and its details, or UndecodableRecord."""
    if not value:
        raise UndecodableRecord("empty", "The record has no value.")
    event = Event()
    try:
        if mode == "binary":
            event.ParseFromString(value)
        else:
            json_format.Parse(value, event)
    except (DecodeError, json_format.ParseError, UnicodeDecodeError, RecursionError) as error:
        raise UndecodableRecord("garbage", f"The value is no {mode} event: {error}.") from error
    except (ValueError, TypeError, AttributeError, KeyError) as error:  # json_format lets some out
        raise UndecodableRecord("garbage", f"The value is no {mode} event: {error!r}.") from error
    return Decoded(event, _unpack(event))


def decode_all(
    values: Iterable[bytes | None], mode: WireMode
) -> Iterator[Decoded | UndecodableRecord]:
    """Decode many values; one that cannot be decoded yields its error and stops nothing."""
    for value in values:
        try:
            yield decode(value, mode)
        except UndecodableRecord as error:
            yield error


def encoder(mode: WireMode) -> Encoder:
    """A function that encodes details and two times, faster than through an Event.

    What goes around the details is the same but for times and lengths, so it is put together from
    pieces that protobuf made before; a test holds it against what protobuf makes of the whole.
    """
    fronts: dict[tuple[type[Message], int], bytes] = {}
    seconds = _seconds

    def encode_parts(event_ms: int, ingestion_ms: int, message: Message) -> bytes:
        value = message.SerializeToString()
        front = fronts.get((type(message), len(value)))
        if front is None:
            front = fronts[type(message), len(value)] = _front_of(message, value)
        event_second, event_nanos = seconds(event_ms // 1000), _NANOS[event_ms % 1000]
        second, nanos = seconds(ingestion_ms // 1000), _NANOS[ingestion_ms % 1000]
        return b"\x0a%c%b%b\x12%c%b%b%b%b" % (
            *(len(event_second) + len(event_nanos), event_second, event_nanos),
            *(len(second) + len(nanos), second, nanos),
            front,
            value,
        )

    if mode == "binary":
        return encode_parts

    def encode_json(event_ms: int, ingestion_ms: int, message: Message) -> bytes:
        return encode(Event.FromString(encode_parts(event_ms, ingestion_ms, message)), "json")

    return encode_json


_NANOS = [Timestamp(nanos=ms * 1_000_000).SerializeToString() for ms in range(1000)]


@lru_cache(maxsize=4096)
def _seconds(seconds: int) -> bytes:
    return Timestamp(seconds=seconds).SerializeToString()


def _front_of(message: Message, value: bytes) -> bytes:
    """What stands before the details' own bytes: it depends on their type and length only."""
    event = Event()
    event.details.type_url = type_url(message)
    event.details.value = value
    return event.SerializeToString().removesuffix(value)


def _unpack(event: Event) -> Message:
    url = event.details.type_url
    if not url or not event.HasField("event_timestamp"):
        raise UndecodableRecord("truncated", "The event lacks its timestamp or its details.")
    type_ = TYPES.get(url)
    if type_ is None:
        raise UndecodableRecord("unknown type", f"{url!r} is no type of this platform.")
    try:
        return type_.FromString(event.details.value)
    except DecodeError as error:
        raise UndecodableRecord("garbage", f"The details are no {url}: {error}.") from error
