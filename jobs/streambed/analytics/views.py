"""The decoded inputs as tables: which columns there are, of what types, and how to get at them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from streambed.events import JourneyEvent, StopEvent, VehiclePosition

# What every view has besides the fields of its type. `id` is the text of the record's key.
COMMON: dict[str, str] = {
    "id": "string",
    "event_ms": "bigint",
    "ingestion_ms": "bigint",
}

_SPARK_TYPES = {
    FieldDescriptor.CPPTYPE_INT32: "int",
    FieldDescriptor.CPPTYPE_INT64: "bigint",
    FieldDescriptor.CPPTYPE_UINT32: "bigint",
    FieldDescriptor.CPPTYPE_UINT64: "bigint",
    FieldDescriptor.CPPTYPE_DOUBLE: "double",
    FieldDescriptor.CPPTYPE_BOOL: "boolean",
    FieldDescriptor.CPPTYPE_STRING: "string",
}

Getter = Callable[[Message], Any]


@dataclass(frozen=True)
class View:
    """A type of events as a table."""

    name: str
    type: type[Message]
    columns: Mapping[str, str]  # with Spark's type
    position: str | None = None  # the field that holds the position, where there is one

    def getter(self, column: str) -> Getter:
        """How to get a column from a message; a field that is not there is null."""
        if column == "kind":
            names = {value.number: value.name for value in self.type.Kind.DESCRIPTOR.values}
            return lambda message: names.get(message.kind)
        if column.startswith("scheduled_"):
            return lambda message: (
                getattr(message, column).ToMilliseconds() if message.HasField(column) else None
            )
        fields = VehiclePosition.DESCRIPTOR.fields_by_name
        is_optional = column in fields and fields[column].has_presence
        if self.position is None or column not in fields:
            return _optional(column) if is_optional else _plain(column)
        inner = _optional(column) if is_optional else _plain(column)
        position = self.position
        return lambda message: inner(getattr(message, position))


def _optional(field: str) -> Getter:
    return lambda message: getattr(message, field) if message.HasField(field) else None


def _plain(field: str) -> Getter:
    return lambda message: getattr(message, field)


_POSITION = {
    field.name: _SPARK_TYPES[field.cpp_type] for field in VehiclePosition.DESCRIPTOR.fields
}
_SCHEDULE = {"scheduled_arrival": "bigint", "scheduled_departure": "bigint"}

VIEWS: dict[str, View] = {
    "input.vehicle-position": View("vehicle_position", VehiclePosition, _POSITION),
    "input.stop-event": View(
        "stop_event", StopEvent, {"kind": "string", **_SCHEDULE, **_POSITION}, "position"
    ),
    "input.journey-event": View(
        "journey_event",
        JourneyEvent,
        {"kind": "string", "signal": "string", **_POSITION},
        "position",
    ),
}
