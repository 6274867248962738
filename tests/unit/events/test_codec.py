"""What is encoded is decoded the same, in both wire modes; what is not an event says why."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import events, messages
from streambed.events import INPUTS, Event, StopEvent, VehiclePosition
from streambed.events.codec import (
    WIRE_MODES,
    UndecodableRecord,
    decode,
    decode_all,
    encode,
    encoder,
    headers,
    type_url,
    wire_mode,
)

wire_modes = pytest.mark.parametrize("mode", WIRE_MODES)

TRAM = VehiclePosition(operator=40, vehicle=456, mode="tram", latitude=60.178041, longitude=24.95)
NOW_MS = 1_600_657_200_963
milliseconds = st.integers(-62135596800_000, 253402300799_999)
inputs = st.sampled_from(INPUTS).flatmap(messages)


def reason(value, mode) -> str:
    with pytest.raises(UndecodableRecord) as error:
        decode(value, mode)
    return error.value.reason


@wire_modes
@given(event=events())
def test_every_event_survives_the_round_trip(mode, event):
    assert decode(encode(event, mode), mode).event == event


@given(event=events())
def test_both_modes_say_the_same(event):
    binary, text = (decode(encode(event, mode), mode) for mode in WIRE_MODES)
    assert binary == text


@wire_modes
def test_a_missing_speed_is_not_zero(mode):
    def speed_after_round_trip(**fields):
        value = encoder(mode)(NOW_MS, NOW_MS, VehiclePosition(**fields))
        details = decode(value, mode).details
        return details.speed if details.HasField("speed") else None

    assert speed_after_round_trip() is None
    assert speed_after_round_trip(speed=0.0) == 0.0


@wire_modes
@given(event_ms=milliseconds, ingestion_ms=milliseconds, details=inputs)
def test_the_fast_encoder_makes_the_very_bytes_of_the_plain_one(
    mode, event_ms, ingestion_ms, details
):
    event = Event()
    event.event_timestamp.FromMilliseconds(event_ms)
    event.ingestion_timestamp.FromMilliseconds(ingestion_ms)
    event.details.type_url = type_url(details)
    event.details.value = details.SerializeToString()
    assert encoder(mode)(event_ms, ingestion_ms, details) == encode(event, mode)


@wire_modes
def test_the_fast_encoder_forgets_the_event_before(mode):
    encode_parts = encoder(mode)
    encode_parts(NOW_MS, NOW_MS, StopEvent(position=TRAM))
    assert decode(encode_parts(0, 0, VehiclePosition()), mode).details == VehiclePosition()


@wire_modes
@given(cut=st.floats(0, 1, exclude_max=True))
def test_a_truncated_event_is_refused_wherever_it_was_cut(mode, cut):
    value = encoder(mode)(NOW_MS, NOW_MS, TRAM)
    assert reason(value[: int(cut * len(value))], mode) in ("empty", "truncated", "garbage")


@wire_modes
@given(value=st.binary())
def test_garbage_is_refused_with_a_reason(mode, value):
    assert reason(value, mode)


@given(value=st.text())
def test_text_that_is_no_event_is_refused_with_a_reason(value):
    assert reason(value.encode("utf-8", "surrogatepass"), "json")


@pytest.mark.parametrize("value", [b"[]", b"3", b'"x"', b'{"details": 3}', b"[" * 100_000])
def test_json_of_another_shape_is_refused_with_a_reason(value):
    assert reason(value, "json") in ("garbage", "truncated")


@wire_modes
def test_an_unknown_type_is_refused(mode):
    event = Event()
    event.event_timestamp.seconds = 1
    event.details.type_url = "type.googleapis.com/google.protobuf.Timestamp"
    assert reason(encode(event, mode), mode) == "unknown type"


def test_no_value_at_all_is_refused():
    assert reason(None, "binary") == "empty"


def test_one_bad_record_does_not_stop_the_others():
    good = encoder("binary")(NOW_MS, NOW_MS, TRAM)
    first, second, third = decode_all([good, b"\xff", good], "binary")
    assert first.details == third.details == TRAM
    assert second.reason == "garbage"


@wire_modes
def test_headers_tell_the_wire_mode(mode):
    assert wire_mode([("other", b"x"), *headers(mode)]) == mode


@pytest.mark.parametrize("found", [None, [], [("wire", b"xml")]])
def test_a_record_without_a_known_wire_mode_is_refused(found):
    with pytest.raises(UndecodableRecord, match=r"wire mode|header"):
        wire_mode(found)
