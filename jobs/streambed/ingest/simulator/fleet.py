"""A fleet: vehicles, their radios, and everything they send, in the order in which it arrives."""

import heapq
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import NamedTuple

from streambed.ingest.simulator.imperfections import COPIES_WITHIN_MS, Radio, Rates, mangle
from streambed.ingest.simulator.network import Line, make_lines
from streambed.ingest.simulator.speech import Speech
from streambed.ingest.simulator.vehicle import Vehicle

OPERATORS = {"bus": (12, 18, 22, 30), "tram": (40,), "train": (90,), "metro": (50,)}
VEHICLES_PER_LINE = 6


class Arrival(NamedTuple):
    """A message as it reaches the broker. `identity` is None for garbage; copies share theirs."""

    arrival_ms: int
    order: int
    topic: str
    payload: bytes
    identity: str | None


@dataclass(frozen=True)
class EmergencyStop:
    """What a detector has to find. It ends with the first position slower than 1 m/s."""

    operator: int
    vehicle: int
    began_ms: int
    ended_ms: int
    speed_before: float
    latitude: float
    longitude: float


class Fleet:
    def __init__(
        self, vehicles: int, seed: int, start_ms: int, rates: Rates, *, first: int = 1
    ) -> None:
        self._random = random.Random(f"fleet {seed}")
        self._rates = rates
        start_ms = start_ms // 1000 * 1000  # metro trains tell whole seconds only
        self._start_ms = start_ms
        count = max(2, vehicles // VEHICLES_PER_LINE)
        self.lines: list[tuple[Line, Line]] = make_lines(count, self._random)
        self._members = [
            _Member(first + number, self.lines[number % count], seed, start_ms, rates)
            for number in range(vehicles)
        ]
        self._under_way: list[Arrival] = []
        self._order = 0
        self.counts: Counter[str] = Counter()
        self.emergency_stops: list[EmergencyStop] = []

    def seconds(self, limit: int | None = None) -> Iterator[list[Arrival]]:
        """What arrives in each second; after the last one, all that still is under way."""
        second = 0
        while limit is None or second < limit:
            tick_ms = self._start_ms + second * 1000
            for member in self._members:
                self._step(member, tick_ms)
            yield self._arrived_before(tick_ms + 1000)
            second += 1
        yield self._arrived_before(None)

    def summary(self) -> dict[str, int]:
        radios = [member.radio for member in self._members]
        return {
            **self.counts,
            "emergency_stops": len(self.emergency_stops),
            "radio_losses": sum(radio.losses for radio in radios),
            "overtaken": sum(radio.overtaken for radio in radios),
        }

    def _step(self, member: "_Member", tick_ms: int) -> None:
        vehicle, speech, rates = member.vehicle, member.speech, self._rates
        now_ms = tick_ms + vehicle.phase_ms
        chance = member.random.random
        if rates.emergency_stops and chance() < rates.emergency_stops / 3600:
            member.wants_emergency = True
        # Without GPS nobody could find an emergency stop, so the two do not meet.
        if member.wants_emergency and not member.hidden and vehicle.brake_hard():
            member.wants_emergency = False
            member.emergency = (now_ms - 1000, vehicle.speed)
        events = vehicle.step(now_ms)
        if vehicle.changed:
            speech.refresh()
        if member.emergency is not None and vehicle.speed < 1.0:
            self._tell_emergency(member, now_ms)
        member.hidden = rates.nulls > chance() and not vehicle.braking_hard
        self._send(member, "vp", now_ms, member.hidden)
        for event in events:
            self._send(member, event, now_ms, False)

    def _tell_emergency(self, member: "_Member", now_ms: int) -> None:
        vehicle = member.vehicle
        began_ms, speed = member.emergency
        member.emergency = None
        latitude, longitude, _ = vehicle.line.place(vehicle.metres)
        self.emergency_stops.append(
            EmergencyStop(
                *(vehicle.operator, vehicle.number, began_ms, now_ms, round(speed, 2)),
                *(round(latitude, 6), round(longitude, 6)),
            )
        )

    def _send(self, member: "_Member", event: str, now_ms: int, without_gps: bool) -> None:
        topic, payload = member.speech.say(event, now_ms, without_gps=without_gps)
        content = payload.encode()
        arrival_ms = member.radio.arrival_ms(now_ms)
        identity = f"{member.key} {event} {now_ms}"
        counts, rates, randomness = self.counts, self._rates, member.random
        counts[event] += 1
        counts["nulls"] += without_gps
        self._push(arrival_ms, topic, content, identity)
        if rates.duplicates and randomness.random() < rates.duplicates:
            for _ in range(randomness.randint(1, 3)):
                counts["duplicates"] += 1
                later_ms = arrival_ms + randomness.randrange(COPIES_WITHIN_MS)
                self._push(later_ms, topic, content, identity)
        if rates.garbage and randomness.random() < rates.garbage:
            counts["garbage"] += 1
            self._push(arrival_ms, *mangle(topic, payload, randomness), None)

    def _push(self, arrival_ms: int, topic: str, payload: bytes, identity: str | None) -> None:
        self._order += 1
        heapq.heappush(self._under_way, Arrival(arrival_ms, self._order, topic, payload, identity))

    def _arrived_before(self, limit_ms: int | None) -> list[Arrival]:
        arrived = []
        while self._under_way and (limit_ms is None or self._under_way[0].arrival_ms < limit_ms):
            arrived.append(heapq.heappop(self._under_way))
        return arrived


class _Member:
    """A vehicle with all that belongs to it."""

    def __init__(
        self, number: int, lines: tuple[Line, Line], seed: int, start_ms: int, rates: Rates
    ) -> None:
        self.random = random.Random(f"vehicle {seed} {number}")
        operator = self.random.choice(OPERATORS[lines[0].mode])
        self.vehicle = Vehicle(operator, number, lines, start_ms, self.random)
        self.speech = Speech(self.vehicle)
        self.radio = Radio(rates, self.random)
        self.key = f"{operator:04d}/{number:05d}"
        self.hidden = False  # it did not know its place when it spoke last
        self.wants_emergency = False
        self.emergency: tuple[int, float] | None = None


def as_json(stop: EmergencyStop) -> dict:
    return asdict(stop)
