"""Emergency stops: from fast to standing within seconds, in one uninterrupted run of positions."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from streambed.analytics import OrderedJob
from streambed.durations import to_ms
from streambed.events import EmergencyStop as Result
from streambed.options import OptionError

# What is remembered of a position: its time in ms, and its speed. Plain, as it is kept in state.
Seen = tuple[int, float]


@dataclass(frozen=True)
class Brakes:
    """Looks back from every slow position to a fast one shortly before.

    What it remembers of a vehicle is its run: the positions of the last `within_ms`, each at most
    `max_gap_ms` after the one before and all with a speed. A stop that was reported begins the run
    anew, so that what overlaps is reported once.
    """

    fast: float
    slow: float
    within_ms: int
    max_gap_ms: int

    @property
    def memory_ms(self) -> int:
        return self.max_gap_ms

    def step(
        self, memory: tuple[Seen, ...] | None, vehicle: str, event_ms: int, value: tuple
    ) -> tuple[tuple[Seen, ...], list[tuple]]:
        speed, latitude, longitude, cell, mode, route = value
        run = memory or ()
        if speed is None:
            return (), []
        if run and event_ms - run[-1][0] > self.max_gap_ms:
            run = ()
        here = (event_ms, speed)
        run = (*(seen for seen in run if event_ms - seen[0] <= self.within_ms), here)
        if speed >= self.slow or not (braking := self._braking(run)):
            return run, []
        began_ms, began_speed = braking[0]
        strongest = max(
            (speed_before - speed_after) * 1000 / (after_ms - before_ms)
            for (before_ms, speed_before), (after_ms, speed_after) in pairwise(braking)
        )
        operator, _, number = vehicle.partition("/")
        found = (
            *(int(operator), int(number), mode, route),
            *(began_ms, event_ms, began_speed, speed, strongest),
            *(latitude, longitude, cell),
        )
        return (here,), [found]

    def _braking(self, run: tuple[Seen, ...]) -> tuple[Seen, ...]:
        """From where the speed began to fall to the newest fast position, up to now."""
        fast = [place for place, (_, speed) in enumerate(run[:-1]) if speed >= self.fast]
        if not fast:
            return ()
        began = fast[-1]
        while began and run[began - 1][1] > run[began][1]:
            began -= 1
        return run[began:]


class EmergencyStop(OrderedJob):
    name = "emergency-stop"
    values = {
        "speed": "speed",
        "latitude": "latitude",
        "longitude": "longitude",
        "cell": "cell",
        "mode": "mode",
        "route": "route",
    }
    rows = (
        "operator bigint, vehicle bigint, mode string, route string, began bigint, ended bigint,"
        " speed_before double, speed_after double, strongest_deceleration double,"
        " latitude double, longitude double, cell bigint"
    )
    result = Result
    key = ("operator", "vehicle", "ended")
    time = "ended"

    def __init__(
        self,
        *,
        fast: float = 10.0,
        slow: float = 1.0,
        within: str = "5s",
        max_gap: str = "2s",
        reorder: str | None = None,
        patience: str | None = None,
    ) -> None:
        super().__init__(reorder=reorder, patience=patience)
        if not 0 < slow < fast:
            raise OptionError(f"slow: must be above 0 and below fast ({fast} m/s); found {slow}.")
        self.brakes = Brakes(
            fast=float(fast),
            slow=float(slow),
            within_ms=to_ms(within, option="within"),
            max_gap_ms=to_ms(max_gap, option="max_gap"),
        )

    def options(self) -> dict[str, Any]:
        brakes = self.brakes
        return super().options() | {
            "fast": brakes.fast,
            "slow": brakes.slow,
            "within": brakes.within_ms,
            "max_gap": brakes.max_gap_ms,
        }

    def machine(self) -> Brakes:
        return self.brakes
