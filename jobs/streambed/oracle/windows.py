"""Windows as slices: every record belongs to one slice, and a window is a row of them."""

from collections.abc import Iterable, Iterator, Mapping
from math import gcd
from typing import NamedTuple, TypeVar

T = TypeVar("T")


class Judged(NamedTuple):
    """Which windows can be judged: that begin at `first_start` or later, and end by `last_end`."""

    first_start: float
    last_end: float

    def holds(self, start: int, end: int) -> bool:
        return start >= self.first_start and end <= self.last_end


class Windows:
    """Windows of `size` ms that end at every multiple of `slide` ms."""

    def __init__(self, size: int, slide: int) -> None:
        self.size = size
        self.slide = slide
        self.slice = gcd(size, slide)

    def slice_of(self, event_ms: int) -> int:
        return event_ms // self.slice

    def slices_of(self, end: int) -> range:
        return range((end - self.size) // self.slice, end // self.slice)

    def first_end(self, event_ms: int) -> int:
        return (event_ms // self.slide + 1) * self.slide

    def ends(self, slices: Iterable[int], judged: Judged) -> Iterator[int]:
        """The judged windows that hold any of the slices, in order; there may be years between."""
        next_end = None
        for number in sorted(slices):
            begin = number * self.slice
            first = self.first_end(begin)
            if next_end is not None:
                first = max(first, next_end)
            for end in range(first, begin + self.size + 1, self.slide):
                if judged.holds(end - self.size, end):
                    yield end
                next_end = end + self.slide

    def newest(
        self, by_slice: Mapping[int, Mapping[str, T]], judged: Judged
    ) -> Iterator[tuple[int, list[T]]]:
        """For every judged window what each vehicle showed in the newest of its slices there.

        The newest before the window's end is the newest in the window, or the vehicle was not
        in it at all; so one pass over the slices does for all windows."""
        waiting = sorted(by_slice, reverse=True)
        latest: dict[str, tuple[int, T]] = {}
        for end in self.ends(by_slice, judged):
            slices = self.slices_of(end)
            while waiting and waiting[-1] < slices.stop:
                number = waiting.pop()
                for vehicle, value in by_slice[number].items():
                    latest[vehicle] = number, value
            yield end, [value for number, value in latest.values() if number >= slices.start]
