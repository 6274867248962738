"""Times as whole milliseconds since 1970, exact where floats are not."""

import time
from datetime import UTC, datetime

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def parse_ms(text: str) -> int:
    """The time in ISO 8601; ValueError if it is none or has no zone."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    since = moment - EPOCH
    return since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000


def format_ms(ms: int) -> str:
    """As HFP writes it: 2020-09-21T03:00:00.963Z."""
    seconds, rest = divmod(ms, 1000)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"
