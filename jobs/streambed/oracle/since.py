"""From when on to judge: a moment, or how long ago it was."""

import re
from datetime import UTC, datetime

from streambed.oracle.errors import Wrong

_MILLISECONDS = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def since_ms(text: str, now_ms: int) -> int:
    """`2026-05-04T06:00:00Z` (UTC unless it says otherwise) or `10m` before now."""
    if duration := re.fullmatch(r"(\d{1,9})([smhd])", text.strip()):
        return now_ms - int(duration[1]) * _MILLISECONDS[duration[2]]
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        raise Wrong(
            f"SINCE must be a moment such as 2026-05-04T06:00:00Z or a duration such as 10m;"
            f" found {text!r}."
        ) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)
