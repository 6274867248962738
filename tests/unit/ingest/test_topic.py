"""HFP's topics are read as they are written, and nothing else is taken for one."""

import string
from decimal import ROUND_DOWN, Decimal

import pytest
from hfp_examples import TRAM_TOPIC
from hypothesis import given
from hypothesis import strategies as st
from streambed.ingest.hfp.topic import (
    EVENTS,
    SIGNAL_EVENTS,
    BadTopic,
    Journey,
    format_topic,
    geohash,
    parse_topic,
)

words = st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), max_size=12)


@st.composite
def journeys(draw):
    event = draw(st.sampled_from(sorted(EVENTS)))
    ended = draw(st.booleans())
    next_stop = draw(st.none() | st.from_regex(r"[0-9]{7}", fullmatch=True))
    return Journey(
        upcoming=draw(st.booleans()),
        event=event,
        mode=draw(st.sampled_from(["bus", "tram", "metro", "a mode to come"])),
        operator=draw(st.integers(0, 9999)),
        vehicle=draw(st.integers(0, 99_999)),
        route=draw(st.sampled_from(["1006", "1001H6", "1004 4", ""])),
        direction=draw(st.none() | st.integers(0, 9)),
        headsign=draw(words),
        start=draw(st.from_regex(r"[0-2][0-9]:[0-5][0-9]", fullmatch=True)),
        next_stop=None if ended else next_stop,
        end_of_line=ended,
        signal=draw(st.none() | words) if event in SIGNAL_EVENTS else None,
    )


coordinates = st.decimals(0, 89, places=6, allow_nan=False)


@given(journey=journeys(), latitude=coordinates, longitude=coordinates)
def test_what_is_written_is_read_again(journey, latitude, longitude):
    assert parse_topic(format_topic(journey, geohash(float(latitude), float(longitude)))) == journey
    assert parse_topic(format_topic(journey)) == journey


@given(topic=st.text(st.characters() | st.sampled_from("/;")))
def test_any_other_text_is_no_topic(topic):
    with pytest.raises(BadTopic):
        parse_topic(topic)


@given(place=st.integers(0, len(TRAM_TOPIC) - 1), character=st.sampled_from(string.printable))
def test_a_changed_topic_is_read_or_refused(place, character):
    try:
        journey = parse_topic(TRAM_TOPIC[:place] + character + TRAM_TOPIC[place + 1 :])
    except BadTopic:
        return
    assert journey.event in EVENTS


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("/v2/", "/v1/", "is not the topic of an HFP v2 journey"),
        ("/ongoing/", "/finished/", "is neither 'ongoing' nor 'upcoming'"),
        ("/vp/", "/xy/", "is no event of HFP v2"),
        ("/0040/", "/40/", "is no vehicle"),
        ("/00456/", "/٠٠٤٥٦/", "is no vehicle"),
        ("/1/Arabia", "/x/Arabia", "is no direction"),
        ("/80", "/80/4711", "has no signal"),
    ],
)
def test_what_is_wrong_with_a_topic_is_told(old, new, sentence):
    with pytest.raises(BadTopic, match=sentence):
        parse_topic(TRAM_TOPIC.replace(old, new))


def test_the_geohash_of_the_documentation():
    assert geohash(60.123, 24.789) == "5/60;24/17/28/39"


@given(latitude=coordinates, longitude=coordinates)
def test_the_digits_of_a_geohash_are_truncated_never_rounded(latitude, longitude):
    _, whole, *pairs = geohash(float(latitude), float(longitude)).split("/")
    read = [
        Decimal(f"{part}.{''.join(pair[side] for pair in pairs)}")
        for side, part in enumerate(whole.split(";"))
    ]
    thousandth = Decimal("0.001")
    assert read == [
        value.quantize(thousandth, rounding=ROUND_DOWN) for value in (latitude, longitude)
    ]
