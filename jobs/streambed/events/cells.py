"""H3 cells: computed once, at ingestion, as fine as GPS is worth; any coarser cell is arithmetic.

An H3 index is a 64-bit integer: four bits of resolution at bit 52, and below bit 45 three bits for
each of 15 resolutions, all ones where the cell is not that fine. So a parent is the same number
with another resolution and more ones, and Spark SQL can say that in one expression, without Python.
"""

from functools import lru_cache

from h3.api import basic_int

# A hexagon of 10 m edge length: finer than the error of a vehicle's GPS, coarser than its noise.
FINE_RESOLUTION = 12

_WITHOUT_RESOLUTION = 0x7F0FFFFFFFFFFFFF
_RESOLUTION_BIT = 52
_FINEST = 15

fine_cell_of = basic_int.latlng_to_cell


def fine_cell(latitude: float, longitude: float) -> int:
    """The cell that ingestion gives to a position."""
    return fine_cell_of(latitude, longitude, FINE_RESOLUTION)


def resolution_of(cell: int) -> int:
    return cell >> _RESOLUTION_BIT & 0xF


def parent_cell(cell: int, resolution: int) -> int:
    """The coarser cell around a cell."""
    if not 0 <= resolution <= resolution_of(cell):
        raise ValueError(
            f"A cell of resolution {resolution_of(cell)} has parents of resolution 0 to"
            f" {resolution_of(cell)}; asked for {resolution}."
        )
    return cell & _WITHOUT_RESOLUTION | _parent_bits(resolution)


def parent_cell_sql(column: str, resolution: int) -> str:
    """The same as an expression of Spark SQL, for cells that are at least that fine."""
    if not 0 <= resolution <= _FINEST:
        raise ValueError(f"H3 has resolutions 0 to {_FINEST}; asked for {resolution}.")
    return f"(({column} & {_WITHOUT_RESOLUTION}L) | {_parent_bits(resolution)}L)"


@lru_cache(maxsize=100_000)
def are_neighbours(cell: int, other: int) -> bool:
    """Whether two cells share an edge. A city has few pairs, asked for all the time."""
    return basic_int.are_neighbor_cells(cell, other)


def _parent_bits(resolution: int) -> int:
    unused_digits = (1 << 3 * (_FINEST - resolution)) - 1
    return resolution << _RESOLUTION_BIT | unused_digits
