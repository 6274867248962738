"""Durations as people write them, `500ms`, `9.5s`, `5m`, `6h`: inside the jobs, milliseconds."""

import re

from streambed.options import OptionError

MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000}


def to_ms(text: str | int, *, option: str = "duration") -> int:
    """Milliseconds of a duration; a number is milliseconds already."""
    if isinstance(text, int) and not isinstance(text, bool):
        return text
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)\s*", str(text))
    if not match:
        raise OptionError(
            f"{option}: must be a duration such as 500ms, 9.5s, 5m or 6h; found {text!r}."
        )
    return round(float(match[1]) * MILLISECONDS[match[2]])
