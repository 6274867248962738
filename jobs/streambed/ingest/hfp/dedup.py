"""A memory of what was seen lately, of bounded size."""

from collections.abc import Hashable


class Recently:
    """Remembers at least the last `size` things and at most twice as many.

    Two sets, young and old: when the young one is full it becomes the old one, and the old one
    is forgotten. That costs less per message than putting things in order of age.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self.young: set[Hashable] = set()
        self.old: set[Hashable] = set()

    def __contains__(self, thing: Hashable) -> bool:
        return thing in self.young or thing in self.old

    def __len__(self) -> int:
        return len(self.young) + len(self.old)

    def add(self, thing: Hashable) -> None:
        self.young.add(thing)
        if len(self.young) >= self._size:
            self.old, self.young = self.young, set()
