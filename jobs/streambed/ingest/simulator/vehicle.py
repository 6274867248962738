"""One vehicle: drives its line from stop to stop and back, one second at a time.

Ordinary braking is 1.2 m/s², so coming to rest from 10 m/s takes eight seconds and more; an
emergency stop takes four at most. A detector that looks for five finds nothing in between.
"""

import random

from streambed.ingest.simulator.network import BLOCK, Line

ACCELERATION = 1.0  # m/s²
BRAKING = 1.2
EMERGENCY_BRAKING = 4.5
EMERGENCY_FROM = 11.0  # m/s: slower vehicles are not made to brake hard
EMERGENCY_ROOM = 80.0  # metres to the next stop that it needs
EMERGENCY_REST = 8  # seconds
CRAWL = 1.0  # m/s, over the last metres
CRUISE = (8.0, 14.5)
DWELL = (8, 25)  # seconds
LAYOVER = (60, 240)
# What the timetable allows from one stop to the next: about what it takes, so some are late.
SECONDS_PER_STOP = 64


class Vehicle:
    def __init__(
        self,
        operator: int,
        number: int,
        lines: tuple[Line, Line],
        start_ms: int,
        randomness: random.Random,
    ) -> None:
        self.operator, self.number = operator, number
        self.mode = lines[0].mode
        # Vehicles speak at their own moment of the second, metro trains at its beginning.
        self.phase_ms = 0 if self.mode == "metro" else randomness.randrange(1000)
        self._lines = lines
        self._random = randomness
        self._begin_journey(lines[0], start_ms)
        # A fleet is all over the place when somebody starts to look.
        self.stop = randomness.randrange(len(self.line.stops) - 1)
        self.metres = self.stop * BLOCK
        self._wait = randomness.randint(1, 60)
        late_ms = randomness.randint(-60, 240) * 1000
        self.started_ms = (start_ms - self._timetable_ms() - late_ms) // 60_000 * 60_000
        self.ahead_s = -late_ms // 1000

    def step(self, now_ms: int) -> list[str]:
        """Drive for one second; return what happened besides, as events of HFP."""
        before = self.speed
        if self._wait:
            events = self._stand(now_ms)
        elif self.braking_hard:
            events = self._brake_hard()
        else:
            events = self._move(now_ms)
        self.acceleration = self.speed - before
        self.changed = bool(events)
        return events

    @property
    def at_end(self) -> bool:
        return self.at_stop and self.stop == len(self.line.stops) - 1

    @property
    def next_stop(self) -> int:
        """The stop that it stands at or drives to, as a place in the line."""
        return self.stop if self.at_stop else self.stop + 1

    def due_ms(self) -> int:
        """When the timetable wants it at that stop; timetables know whole minutes only."""
        return (self.started_ms + self._timetable_ms()) // 60_000 * 60_000

    def brake_hard(self) -> bool:
        """Begin an emergency stop, if the vehicle is fast enough and has the road for it."""
        room = (self.stop + 1) * BLOCK - self.metres
        if self.speed < EMERGENCY_FROM or self.braking_hard or room < EMERGENCY_ROOM:
            return False
        self.braking_hard = True
        return True

    def _begin_journey(self, line: Line, now_ms: int) -> None:
        self.line = line
        self.stop = 0
        self.metres = 0.0
        self.at_stop = True
        self.started_ms = now_ms // 60_000 * 60_000
        self.journey = self._random.randint(1, 2500)
        self.speed = self.acceleration = 0.0
        self.ahead_s = 0
        self.doors_open = self.braking_hard = False
        self.changed = True
        self._cruise = self._random.uniform(*CRUISE)
        self._wait = self._random.randint(*DWELL)
        self._rest = 0

    def _timetable_ms(self) -> int:
        return self.next_stop * SECONDS_PER_STOP * 1000

    def _stand(self, now_ms: int) -> list[str]:
        self._wait -= 1
        if self._wait:
            return []
        if self.at_end:
            there, back = self._lines
            self._begin_journey(back if self.line is there else there, now_ms)
            return ["vja"]
        events = ["doc", "pde", "dep"] if self.doors_open else ["pde", "dep"]
        self.doors_open = self.at_stop = False
        return events

    def _brake_hard(self) -> list[str]:
        if self.speed:
            self.speed = max(0.0, self.speed - EMERGENCY_BRAKING)
            self.metres += self.speed
            self._rest = EMERGENCY_REST
        else:
            self._rest -= 1
            self.braking_hard = self._rest > 0
        return []

    def _move(self, now_ms: int) -> list[str]:
        ahead = (self.stop + 1) * BLOCK - self.metres
        # The speed from which ordinary braking ends before the stop, a second from now.
        allowed = max(CRAWL, (2 * BRAKING * max(ahead - self.speed - 2.0, 0.0)) ** 0.5)
        if self.speed > allowed:
            self.speed = max(self.speed - BRAKING, CRAWL)
        else:
            self.speed = min(self.speed + ACCELERATION, self._cruise, allowed)
        self.metres += min(self.speed, ahead)
        left = (self.stop + 1) * BLOCK - self.metres
        if left < 0.5:
            return self._arrive(now_ms)
        return ["due"] if left <= 100 < ahead else []

    def _arrive(self, now_ms: int) -> list[str]:
        self.stop += 1
        self.metres = self.stop * BLOCK
        self.at_stop = self.doors_open = True
        self.speed = 0.0
        self.ahead_s = (self.due_ms() - now_ms) // 1000
        self._cruise = self._random.uniform(*CRUISE)
        self._wait = self._random.randint(*(LAYOVER if self.at_end else DWELL))
        return ["arr", "ars", "doo"]
