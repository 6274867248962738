"""Vehicles in groups: each a key of Spark's state, and together one for each part of it.

Spark chooses the part of a key by its hash, and small numbers in a row fall on each other: of four
keys three would be worked at one after the other. So a group's key is searched for that falls on
the part that is meant for it.
"""

from functools import cache
from itertools import count
from zlib import crc32

_MASK = 0xFFFFFFFF
_SEED = 42


def key_of(vehicle: str, groups: int) -> int:
    """The same for ever, on every machine: state is kept by it."""
    return keys(groups)[crc32(vehicle.encode()) % groups]


@cache
def keys(groups: int) -> tuple[int, ...]:
    found: dict[int, int] = {}
    numbers = count()
    while len(found) < groups:
        found.setdefault(part_of(number := next(numbers), groups), number)
    return tuple(found[part] for part in range(groups))


def part_of(key: int, parts: int) -> int:
    """Where Spark keeps an int: the remainder of its Murmur3 hash."""
    mixed = key * 0xCC9E2D51 & _MASK
    mixed = _rotated(mixed, 15) * 0x1B873593 & _MASK
    mixed = (_rotated(_SEED ^ mixed, 13) * 5 + 0xE6546B64) & _MASK
    mixed ^= 4  # bytes
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        mixed = (mixed ^ mixed >> shift) * factor & _MASK
    mixed ^= mixed >> 16
    return (mixed - (1 << 32) if mixed >> 31 else mixed) % parts


def _rotated(number: int, places: int) -> int:
    return (number << places | number >> 32 - places) & _MASK
