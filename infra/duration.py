"""Durations as people write them in a stage file: `90s`, `10m`, `6h`, `3d`."""

import re
from typing import Annotated

from pydantic import BeforeValidator

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def seconds(text: object) -> int:
    if isinstance(text, int) and not isinstance(text, bool):
        return text
    match = re.fullmatch(r"\s*(\d+)\s*([smhd])\s*", str(text))
    if not match:
        raise ValueError(f"a duration such as 90s, 10m, 6h or 3d is needed, found {text!r}")
    return int(match[1]) * _SECONDS[match[2]]


def words(total: int) -> str:
    """The shortest exact way to write a number of seconds: 5400 is `90m`."""
    unit = next(u for u in "dhms" if total % _SECONDS[u] == 0)
    return f"{total // _SECONDS[unit]}{unit}"


Duration = Annotated[int, BeforeValidator(seconds)]
