"""A memory of what was seen lately, of bounded size."""

from collections.abc import Hashable


class Recently:
    """Remembers at least the last `size` things and at most twice as many.

    Two sets, young and old: when the young one is full it becomes the old one, and the old one
    is forgotten. That costs less per message than putting things in order of age.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._young: set[Hashable] = set()
        self._old: set[Hashable] = set()

    def __contains__(self, thing: Hashable) -> bool:
        return thing in self._young or thing in self._old

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def add(self, thing: Hashable) -> None:
        self._young.add(thing)
        if len(self._young) >= self._size:
            self._old, self._young = self._young, set()
