"""Times are exact milliseconds, there and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streambed.ingest.times import format_ms, parse_ms


@given(ms=st.integers(0, 253_402_300_799_999))
def test_what_is_written_is_read_again(ms):
    assert parse_ms(format_ms(ms)) == ms


@pytest.mark.parametrize(
    "text", ["2020-09-21T03:00:00Z", "2020-09-21T03:00:00.000Z", "2020-09-21T06:00:00.000+03:00"]
)
def test_one_moment_has_many_spellings(text):
    assert parse_ms(text) == 1_600_657_200_000


@pytest.mark.parametrize(
    "text",
    ["", "now", "2020-09-21T03:00:00", "2020-09-21T03:00:00.٠٠٠Z", "2020-09-21T03:00+01.000Z"],
)
def test_anything_else_is_refused(text):
    with pytest.raises(ValueError, match=r".*"):
        parse_ms(text)
