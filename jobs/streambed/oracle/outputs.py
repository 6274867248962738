"""What a record that a job wrote tells about itself: its version, and the event in it."""

from google.protobuf.message import Message

from streambed.events import Event
from streambed.events.codec import UndecodableRecord, decode, wire_mode
from streambed.oracle.topics import Record

VERSION_HEADER = "version"


def version_of(record: Record) -> int | None:
    for name, value in record.headers or ():
        if name == VERSION_HEADER:
            return int(value) if value is not None and value.isdigit() else None
    return None


def event_in(record: Record, type_: type[Message]) -> tuple[Event, Message] | None:
    """The event and its details; None when it is none, or of another type."""
    try:
        event, details = decode(record.value, wire_mode(record.headers))
    except UndecodableRecord:
        return None
    return (event, details) if type(details) is type_ else None


def key_of(record: Record) -> str:
    return (record.key or b"").decode(errors="replace")
