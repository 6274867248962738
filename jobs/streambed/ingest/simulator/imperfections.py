"""What goes wrong between a vehicle and the broker, at rates that can be chosen.

The defaults are those measured on the real feed. Every message arrives in the end: what a radio
could not send it sends later, at once and in order.
"""

import random
from dataclasses import dataclass

from streambed.options import OptionError

# Latency of an ordinary message in ms: half under 50, nine of ten under 380.
LATENCY_MEDIAN_MS, LATENCY_SPREAD, LATENCY_MOST_MS = 50, 1.58, 950
LOSS_MEAN_MS, LOSS_MOST_MS = 20_000, 150_000
BURST_STEP_MS = 5
COPIES_WITHIN_MS = 200
OVERTAKEN_MS = (1000, 3000)


@dataclass(frozen=True, kw_only=True)
class Rates:
    nulls: float = 0.0008  # positions without GPS
    duplicates: float = 0.02  # messages that come two to four times
    radio_losses: float = 2.0  # per vehicle and hour
    reordered: float = 0.0005  # messages that are overtaken by the next
    garbage: float = 0.0001  # messages that nobody can read, in addition
    emergency_stops: float = 0.1  # per vehicle and hour

    def __post_init__(self) -> None:
        for name in ("nulls", "duplicates", "reordered", "garbage"):
            if not 0 <= getattr(self, name) <= 1:
                raise OptionError(f"{name}: must be from 0 to 1; found {getattr(self, name)}.")
        for name in ("radio_losses", "emergency_stops"):
            if not 0 <= getattr(self, name) <= 3600:
                raise OptionError(f"{name}: must be from 0 to 3600; found {getattr(self, name)}.")


PERFECT = Rates(nulls=0, duplicates=0, radio_losses=0, reordered=0, garbage=0, emergency_stops=0)


class Radio:
    """The way from one vehicle to the broker: in order, unless it is meant not to be."""

    def __init__(self, rates: Rates, randomness: random.Random) -> None:
        self._random = randomness
        self._reordered = rates.reordered
        self._loss_per_message = rates.radio_losses / 3600
        self._silent_until_ms = 0
        self._last_arrival_ms = 0
        self.losses = self.overtaken = 0

    def arrival_ms(self, sent_ms: int) -> int:
        chance = self._random.random
        if sent_ms >= self._silent_until_ms and chance() < self._loss_per_message:
            lasts_ms = min(self._random.expovariate(1 / LOSS_MEAN_MS), LOSS_MOST_MS)
            self._silent_until_ms = sent_ms + int(lasts_ms)
            self.losses += 1
        if self._reordered and chance() < self._reordered:
            self.overtaken += 1
            return sent_ms + self._random.randint(*OVERTAKEN_MS)
        if sent_ms < self._silent_until_ms:
            arrival_ms = self._silent_until_ms
        else:
            latency_ms = LATENCY_MEDIAN_MS * self._random.lognormvariate(0, LATENCY_SPREAD)
            arrival_ms = sent_ms + min(int(latency_ms), LATENCY_MOST_MS)
        if arrival_ms <= self._last_arrival_ms:
            arrival_ms = self._last_arrival_ms + BURST_STEP_MS
        self._last_arrival_ms = arrival_ms
        return arrival_ms


def mangle(topic: str, payload: str, randomness: random.Random) -> tuple[str, bytes]:
    """Something that surely no processor can read, in one of several ways."""
    whole = payload.encode()
    match randomness.randrange(5):
        case 0:
            return topic, whole[: randomness.randrange(len(whole))]
        case 1:
            return topic, randomness.randbytes(randomness.randrange(1, 300)) + b"\xff"
        case 2:
            return topic.replace("/v2/", "/v0/"), whole
        case 3:
            return topic, payload.replace('"tst":"2', '"tst":"x').encode()
        case _:
            return topic, payload.replace('"oday":"', '"oday":["').encode()
