"""What connectors, processors and the pipeline hand to each other.

Tuples rather than objects with behaviour: tens of thousands are made every second.
"""

from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from google.protobuf.message import Message

# What nobody could read, with the reason.
DEAD_LETTER_TOPIC = "input.dead-letter"


class RawMessage(NamedTuple):
    topic: str
    payload: bytes
    received_ms: int


@dataclass(slots=True)
class Batch:
    """Messages that came together and become safe together.

    `shift_ms` is what to add to all times and `copy` which of several fleets this is, when a
    recording is replayed as if it were now or as if there were more vehicles: only a processor
    knows where in a message times and identities are. `token` is the connector's own.
    """

    messages: list[RawMessage] = field(default_factory=list)
    shift_ms: int = 0
    copy: int = 0
    token: Any = None


class Record(NamedTuple):
    """A message that became an event."""

    topic: str
    key: bytes
    event_ms: int
    details: Message


class Drop(NamedTuple):
    """A message that is not wanted. Reasons are few: each is a label of a metric."""

    reason: str


class DeadLetter(NamedTuple):
    """A message that cannot be understood; it is kept with the reason and a sentence about it."""

    reason: str
    sentence: str


Outcome = Record | Drop | DeadLetter

# The constructor of a named tuple is Python code; where every message passes, this costs a third.
make_message = partial(tuple.__new__, RawMessage)
make_record = partial(tuple.__new__, Record)
