"""A street grid around Helsinki, with lines on it: stops, and the way between them.

Streets run north and south, east and west, `BLOCK` metres apart, and a line follows them with few
turns. Distances are plane: Helsinki is small enough.
"""

import math
import random
from dataclasses import dataclass
from itertools import pairwise

CENTRE = (60.2000, 24.9400)
BLOCK = 350.0  # metres from crossing to crossing
METRES_PER_DEGREE = 111_320.0
LONGITUDE_SCALE = METRES_PER_DEGREE * math.cos(math.radians(CENTRE[0]))
# The grid: 28 by 48 blocks, about 10 by 17 km, from the harbour to the ring road.
HALF_NORTH, HALF_EAST = 14, 24

HEADINGS = {(1, 0): 0, (0, 1): 90, (-1, 0): 180, (0, -1): 270}
NAMES = (
    *("Arabia", "Töölö", "Kallio", "Itäkeskus(M)", "Hietalahti", "Käpylä", "Pasila as."),
    *("Munkkiniemi", "Kannelmäki", "Viikki", "Herttoniemi (M)", "Haaga", "Meilahti", "Lauttasaari"),
)


@dataclass(frozen=True)
class Stop:
    id: int
    name: str
    latitude: float
    longitude: float


@dataclass(frozen=True)
class Line:
    """One direction of a line. Stops are one block apart, at crossings."""

    route: str
    designation: str
    direction: int
    mode: str
    headsign: str
    stops: tuple[Stop, ...]
    headings: tuple[int, ...]  # from each stop to the next

    @property
    def length(self) -> float:
        return BLOCK * (len(self.stops) - 1)

    def place(self, metres: float) -> tuple[float, float, int]:
        """Latitude, longitude and heading after so many metres."""
        last = len(self.stops) - 2
        leg = min(int(metres / BLOCK), last)
        part = min((metres - leg * BLOCK) / BLOCK, 1.0)
        a, b = self.stops[leg], self.stops[leg + 1]
        return (
            a.latitude + (b.latitude - a.latitude) * part,
            a.longitude + (b.longitude - a.longitude) * part,
            self.headings[leg],
        )


def make_lines(count: int, randomness: random.Random) -> list[tuple[Line, Line]]:
    """So many lines, each with its way there and its way back."""
    return [_make_line(number, randomness) for number in range(count)]


def _make_line(number: int, randomness: random.Random) -> tuple[Line, Line]:
    mode = randomness.choices(("bus", "tram", "train", "metro"), (80, 14, 4, 2))[0]
    crossings = _walk(randomness, blocks=randomness.randint(12, 30))
    stops = tuple(_stop_at(north, east) for north, east in crossings)
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(crossings)]
    there = tuple(HEADINGS[step] for step in steps)
    back = tuple((heading + 180) % 360 for heading in reversed(there))
    route, designation = f"{2001 + number}", f"{1 + number}"
    ends = randomness.sample(NAMES, 2)
    return (
        Line(route, designation, 1, mode, ends[0], stops, there),
        Line(route, designation, 2, mode, ends[1], stops[::-1], back),
    )


def _walk(randomness: random.Random, blocks: int) -> list[tuple[int, int]]:
    """Crossings along streets: mostly straight on, sometimes a turn, never back, never off."""
    north = randomness.randint(-HALF_NORTH // 2, HALF_NORTH // 2)
    east = randomness.randint(-HALF_EAST // 2, HALF_EAST // 2)
    step = randomness.choice(list(HEADINGS))
    crossings = [(north, east)]
    while len(crossings) <= blocks:
        turns = [(step[1], step[0]), (-step[1], -step[0])]
        randomness.shuffle(turns)
        ways = [step, *turns] if randomness.random() > 0.25 else [*turns, step]
        for way in ways:
            there = (crossings[-1][0] + way[0], crossings[-1][1] + way[1])
            if abs(there[0]) <= HALF_NORTH and abs(there[1]) <= HALF_EAST:
                crossings.append(there)
                step = way
                break
    return crossings


def _stop_at(north: int, east: int) -> Stop:
    number = (north + HALF_NORTH) * (2 * HALF_EAST + 1) + east + HALF_EAST
    return Stop(
        id=1_000_000 + number,
        name=f"Crossing {north + HALF_NORTH}/{east + HALF_EAST}",
        latitude=CENTRE[0] + north * BLOCK / METRES_PER_DEGREE,
        longitude=CENTRE[1] + east * BLOCK / LONGITUDE_SCALE,
    )
