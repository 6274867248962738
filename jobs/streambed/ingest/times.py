"""Times as whole milliseconds since 1970, exact where floats are not."""

import time
from datetime import UTC, datetime
from functools import lru_cache

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECONDS = {f".{ms:03d}Z": ms for ms in range(1000)}


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def parse_ms(text: str) -> int:
    """The time in ISO 8601; ValueError if it is none or has no zone."""
    # 2020-09-21T03:00:00.963Z, as nearly all are: the rest is looked up instead of parsed.
    milliseconds = _MILLISECONDS.get(text[19:])
    if milliseconds is not None and len(text) == 24:
        return _second_ms(text[:19]) + milliseconds
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text!r} has no time zone")
    return _since_epoch_ms(moment)


def format_ms(ms: int) -> str:
    """As HFP writes it: 2020-09-21T03:00:00.963Z."""
    seconds, rest = divmod(ms, 1000)
    moment = datetime.fromtimestamp(seconds, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest:03d}Z"


@lru_cache(maxsize=4096)
def _second_ms(text: str) -> int:
    """Messages come in the order of time, so many share a second: parsing it once is enough."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is not None:
        raise ValueError(f"{text!r} has two time zones")
    return _since_epoch_ms(moment.replace(tzinfo=UTC))


def _since_epoch_ms(moment: datetime) -> int:
    since = moment - EPOCH
    return since.days * 86_400_000 + since.seconds * 1000 + since.microseconds // 1000
