"""python -m streambed.ingest simulate"""

import argparse
import logging
import threading
import time
from pathlib import Path
from typing import Any

from streambed.ingest.messages import RawMessage
from streambed.ingest.recordings import SUFFIXES, compressed, format_line
from streambed.ingest.simulator.fleet import Arrival, Fleet
from streambed.ingest.simulator.imperfections import Rates
from streambed.ingest.simulator.publisher import Publisher
from streambed.ingest.simulator.timetable import write_timetable
from streambed.ingest.simulator.truth import Truth
from streambed.ingest.times import now_ms, parse_ms
from streambed.options import OptionError

log = logging.getLogger(__name__)

MOST_VEHICLES = 99_999  # a vehicle's number has five digits
SLICE_MS = 50


def simulate(options: argparse.Namespace, stop: threading.Event) -> int:
    fleet, speed = _fleet(options)
    if options.timetable:
        write_timetable(fleet.lines, Path(options.timetable))
    truth = Truth(Path(options.truth) if options.truth else None)
    target = _target(options, truth)
    began, told = time.monotonic(), 0
    try:
        clock = _Clock(speed)
        for arrivals in fleet.seconds(options.seconds or None):
            for group in clock.pace(arrivals, stop):
                target.publish(group, stop)
            truth.emergency_stops(fleet.emergency_stops[told:])
            told = len(fleet.emergency_stops)
            if stop.is_set():
                break
        target.finish(stop)
    finally:
        truth.close(fleet.summary())
    seconds = time.monotonic() - began
    sent, safe = truth.counts["published"], truth.counts["acknowledged"]
    log.info(
        "%d messages (%d acknowledged) in %.1f s, %.0f/s.", sent, safe, seconds, sent / seconds
    )
    return 0


class _Clock:
    """Lets messages go when they are due."""

    def __init__(self, speed: float) -> None:
        self._speed = speed
        self._origin: tuple[float, int] | None = None

    def pace(self, arrivals: list[Arrival], stop: threading.Event) -> Any:
        if not self._speed:
            yield arrivals
            return
        start = 0
        while start < len(arrivals) and not stop.is_set():
            first_ms = arrivals[start].arrival_ms
            self._wait_for(first_ms, stop)
            end = start
            while end < len(arrivals) and arrivals[end].arrival_ms < first_ms + SLICE_MS:
                end += 1
            yield arrivals[start:end]
            start = end

    def _wait_for(self, due_ms: int, stop: threading.Event) -> None:
        if self._origin is None:
            self._origin = (time.monotonic(), due_ms)
        began, from_ms = self._origin
        wait = began + (due_ms - from_ms) / 1000 / self._speed - time.monotonic()
        if wait > 0:
            stop.wait(wait)


class _File:
    """A recording, as a target of the simulation."""

    def __init__(self, path: Path, truth: Truth) -> None:
        self._raw = path.open("wb")
        self._stream = compressed(self._raw, path.name)
        self._truth = truth

    def publish(self, messages: list[Arrival], _: threading.Event) -> None:
        self._stream.write(
            b"".join(
                format_line(RawMessage(message.topic, message.payload, message.arrival_ms))
                for message in messages
            )
        )
        self._truth.published(len(messages))
        for message in messages:
            self._truth.acknowledged(message)

    def finish(self, _: threading.Event) -> None:
        self._stream.close()
        self._raw.close()


def _fleet(options: argparse.Namespace) -> tuple[Fleet, float]:
    if not 1 <= options.vehicles <= MOST_VEHICLES:
        raise OptionError(f"--vehicles: must be 1 to {MOST_VEHICLES}; found {options.vehicles}.")
    if not 1 <= options.first <= MOST_VEHICLES + 1 - options.vehicles:
        raise OptionError(
            f"--first: with {options.vehicles} vehicles must be 1 to"
            f" {MOST_VEHICLES + 1 - options.vehicles}; found {options.first}."
        )
    if options.seconds < 0:
        raise OptionError(f"--seconds: must be 0 (for ever) or more; found {options.seconds}.")
    # A file is written as fast as possible, a broker is fed in real time.
    speed = options.speed if options.speed is not None else float(options.file is None)
    if speed < 0:
        raise OptionError(f"--speed: must be 0 (unbounded) or more; found {speed}.")
    try:
        start_ms = now_ms() if options.start == "now" else parse_ms(options.start)
    except ValueError as error:
        raise OptionError(f"--start: {error}; for example 2026-05-04T06:00:00Z.") from error
    if options.file is not None and not options.file.endswith(SUFFIXES):
        raise OptionError(f"--file: must end in {', '.join(SUFFIXES)}; found {options.file}.")
    rates = Rates(**{name: getattr(options, name) for name in Rates.__dataclass_fields__})
    fleet = Fleet(options.vehicles, options.seed, start_ms, rates, first=options.first)
    return fleet, speed


def _target(options: argparse.Namespace, truth: Truth) -> Any:
    if options.file is not None:
        return _File(Path(options.file), truth)
    host, _, port = options.mqtt.rpartition(":")
    if not host or not port.isdigit():
        raise OptionError(f"--mqtt: must be HOST:PORT; found {options.mqtt!r}.")
    password = Path(options.password_file).read_text().strip() if options.password_file else None
    return Publisher(
        (host, int(port)),
        truth,
        client_id=options.client_id,
        username=options.username,
        password=password,
    )
