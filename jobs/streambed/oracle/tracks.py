"""What every vehicle told, in columns: a few million records in a few bytes each."""

from array import array
from collections.abc import Callable, Iterator
from typing import Any


class Tracks:
    """The first column is the time in ms; `columns` are the type codes of the others."""

    def __init__(self, columns: str) -> None:
        self._types = "q" + columns
        self._tracks: dict[str, list[array]] = {}
        self._append: dict[str, list[Callable[[Any], None]]] = {}

    def add(self, vehicle: str, *row: Any) -> None:
        appends = self._append.get(vehicle)
        if appends is None:
            track = self._tracks[vehicle] = [array(type_) for type_ in self._types]
            appends = self._append[vehicle] = [column.append for column in track]
        for append, value in zip(appends, row):
            append(value)

    def in_order(
        self, larger: Callable[[tuple], Any] | None = None
    ) -> Iterator[tuple[str, list[tuple]]]:
        """Every vehicle's rows in the order of time. Of several at one time the largest counts, by
        `larger` where the rows as they are do not tell."""
        for vehicle, track in self._tracks.items():
            rows: list[tuple] = []
            for row in sorted(zip(*track), key=_time):
                if rows and rows[-1][0] == row[0]:
                    rows[-1] = max(rows[-1], row, key=larger)
                else:
                    rows.append(row)
            yield vehicle, rows


def _time(row: tuple) -> int:
    return row[0]
