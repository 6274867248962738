"""Compare the version numbers that programs print about themselves."""

import re


def parse(text: str) -> tuple[int, ...]:
    """The first dotted number in `text`: "go version go1.25.11 linux" -> (1, 25, 11)."""
    found = re.search(r"\d+(?:\.\d+)*", text)
    return tuple(int(part) for part in found.group().split(".")) if found else ()


def at_least(text: str, minimum: str) -> bool:
    return parse(text) >= parse(minimum)
