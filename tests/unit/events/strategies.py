"""Any message of any type, for property tests: fields set or not, as the schema allows."""

import math

from google.protobuf.descriptor import FieldDescriptor as Field
from hypothesis import strategies as st
from streambed.events import INPUTS, RESULTS, Event
from streambed.events.codec import type_url

# What protobuf's JSON mapping can write: the years 1 to 9999.
timestamps = st.tuples(st.integers(-62135596800, 253402300799), st.integers(0, 999_999_999))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)

SCALARS = {
    Field.TYPE_UINT32: st.integers(0, 2**32 - 1),
    Field.TYPE_UINT64: st.integers(0, 2**64 - 1),
    Field.TYPE_FIXED64: st.integers(0, 2**64 - 1),
    Field.TYPE_INT32: st.integers(-(2**31), 2**31 - 1),
    Field.TYPE_SINT32: st.integers(-(2**31), 2**31 - 1),
    Field.TYPE_INT64: st.integers(-(2**63), 2**63 - 1),
    Field.TYPE_SINT64: st.integers(-(2**63), 2**63 - 1),
    # Not a number is equal to nothing, not even to itself, so it cannot be compared here.
    Field.TYPE_DOUBLE: st.floats(allow_nan=False),
    Field.TYPE_BOOL: st.booleans(),
    Field.TYPE_STRING: texts,
}
# What JSON can say, in a row of a job without a type of its own.
plain = st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | texts


@st.composite
def messages(draw, type_):
    message = type_()
    for field in type_.DESCRIPTOR.fields:
        if not draw(st.booleans()):
            continue
        if field.type == Field.TYPE_ENUM:
            numbers = [value.number for value in field.enum_type.values]
            setattr(message, field.name, draw(st.sampled_from(numbers)))
        elif field.type != Field.TYPE_MESSAGE:
            setattr(message, field.name, draw(SCALARS[field.type]))
        elif field.message_type.name == "Timestamp":
            _set_timestamp(getattr(message, field.name), draw(timestamps))
        elif field.message_type.name == "Struct":
            # One entry: protobuf writes those of a map in any order, and bytes are compared.
            getattr(message, field.name).update(draw(st.dictionaries(texts, plain, max_size=1)))
        elif field.message_type.name == "Event":
            getattr(message, field.name).CopyFrom(draw(events(INPUTS)))
        else:
            inner = getattr(message, field.name)
            inner.CopyFrom(draw(messages(type(inner))))
    return message


@st.composite
def events(draw, types=(*INPUTS, *RESULTS)):
    event = Event()
    _set_timestamp(event.event_timestamp, draw(timestamps))
    _set_timestamp(event.ingestion_timestamp, draw(timestamps))
    details = draw(st.sampled_from(types).flatmap(messages))
    event.details.type_url = type_url(details)
    event.details.value = details.SerializeToString(deterministic=True)
    return event


def _set_timestamp(field, value):
    field.seconds, field.nanos = value
    field.SetInParent()


positions = st.tuples(
    st.floats(-90, 90, allow_nan=False), st.floats(-180, 180, allow_nan=False)
).filter(lambda place: all(map(math.isfinite, place)))
