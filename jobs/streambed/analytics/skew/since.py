"""From when on: a moment (`2026-11-18T15:00:00Z`) or how long before the end (`30m`)."""

from streambed.durations import to_ms
from streambed.ingest.times import parse_ms
from streambed.options import OptionError


def since_ms(text: str, *, end_ms: int) -> int:
    try:
        return max(0, parse_ms(text))
    except ValueError:
        pass
    try:
        return max(0, end_ms - to_ms(text))
    except OptionError as error:
        raise OptionError(
            "SINCE: must be a time such as 2026-11-18T15:00:00Z or a duration such as 30m or 6h;"
            f" found {text!r}."
        ) from error
