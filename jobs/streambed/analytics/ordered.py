"""What vehicles said, in order of time, for machines that look at a sequence: plain Python.

Radios are silent and then say everything at once, and now and then one message overtakes another.
Vehicles wait for nobody but themselves: a vehicle's positions are settled, in order, when it has
spoken of a time `reorder_ms` later, however far the others have come meanwhile. So minutes without
a radio make nothing late; only a vehicle that is silent for `patience_ms` is settled by the others.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from streambed.analytics.windows import Record, Value, larger


class Machine(Protocol):
    """Looks at one vehicle's records, one after the other."""

    def step(self, memory: Any, vehicle: str, event_ms: int, value: Value) -> tuple[Any, list]:
        """What it remembers now, and the rows it found. Memory begins as None."""

    @property
    def memory_ms(self) -> int:
        """After how long a silence memory makes no difference any more."""


@dataclass
class Vehicle:
    newest_ms: int
    settled_ms: int
    pending: dict[int, Value] = field(default_factory=dict)
    memory: Any = None


@dataclass
class Group:
    """The state of one group of vehicles."""

    vehicles: dict[str, Vehicle] = field(default_factory=dict)


class Found(NamedTuple):
    rows: list[tuple]
    late: list[Record]


@dataclass(frozen=True)
class Ordered:
    reorder_ms: int
    patience_ms: int
    bound_ms: int  # of the query's watermark, from which the newest time before a batch is known
    machine: Machine

    def step(
        self, group: Group, records: Iterable[Record], newest_ms: int, watermark_ms: int
    ) -> Found:
        """Take a batch in, and run what is settled by it through the machine."""
        late = self._take(group, records, watermark_ms + self.bound_ms)
        newest_ms = max(newest_ms, watermark_ms + self.bound_ms)
        rows = list(self._settle(group, newest_ms - self.patience_ms))
        return Found(rows, late)

    def _take(self, group: Group, records: Iterable[Record], newest_before_ms: int) -> list[Record]:
        late = []
        out_of_patience_ms = newest_before_ms - self.patience_ms
        for record in records:
            name, event_ms, value, _ = record
            vehicle = group.vehicles.get(name)
            settled_ms = out_of_patience_ms if vehicle is None else vehicle.settled_ms
            if event_ms <= settled_ms:
                late.append(record)
                continue
            if vehicle is None:
                vehicle = group.vehicles[name] = Vehicle(event_ms, settled_ms)
            pending = vehicle.pending
            if event_ms not in pending or larger(value, pending[event_ms]):
                pending[event_ms] = value
            vehicle.newest_ms = max(vehicle.newest_ms, event_ms)
        return late

    def _settle(self, group: Group, out_of_patience_ms: int) -> Iterator[tuple]:
        step = self.machine.step
        for name in list(group.vehicles):
            vehicle = group.vehicles[name]
            settled_ms = max(vehicle.newest_ms - self.reorder_ms, out_of_patience_ms)
            if settled_ms > vehicle.settled_ms:
                vehicle.settled_ms = settled_ms
                for event_ms in sorted(ms for ms in vehicle.pending if ms <= settled_ms):
                    value = vehicle.pending.pop(event_ms)
                    vehicle.memory, rows = step(vehicle.memory, name, event_ms, value)
                    yield from rows
            if vehicle.newest_ms + self.machine.memory_ms < out_of_patience_ms:
                del group.vehicles[name]
