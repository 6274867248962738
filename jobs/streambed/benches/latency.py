"""From event to result on a running stage: how long each job takes, from the records' own times.

A fleet of its own brings the rate up to what is wanted, for a few minutes. A result's latency runs
from its event time (for a window: its end) to the time that Kafka's record of it carries. Panes on
time wait for the watermark, so the bound is taken off: what is left is what the platform takes. The
radios of that fleet never fail, and results about single vehicles count for its own alone.

    python -m streambed.benches.latency --bootstrap … --mqtt HOST:PORT --rate 1000 --seconds 120
"""

import argparse
import math
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from confluent_kafka import Consumer, TopicPartition

from streambed.analytics.catalogue import bundled, make
from streambed.analytics.job import OrderedJob, WindowJob
from streambed.events import Pane
from streambed.events.codec import UndecodableRecord, decode, wire_mode

FIRST_VEHICLE = 20_001  # far from those of the stage's own fleet
WARM_UP_S = 60
# How long results are waited for that come late: slower ones would be missing from the figures.
GRACE_S = 30
PERCENTILES = (50, 90, 99)


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    waits = {name: wait_ms(name) for name in bundled()}
    with fleet(options):
        time.sleep(WARM_UP_S)
        reading = Reading(options.bootstrap, list(waits))
        began_ms = time.time() * 1000
        time.sleep(options.seconds + GRACE_S)
        latencies = reading.latencies(began_ms, began_ms + options.seconds * 1000, waits)
        rate = latencies.pop("positions") / options.seconds
    print(f"{rate:,.0f} positions/s for {options.seconds} s; ms from event to result")
    print(
        f"{'job':22} {'results':>8} {'wait':>8} " + " ".join(f"{f'p{p}':>8}" for p in PERCENTILES)
    )
    for name, values in latencies.items():
        values.sort()
        figures = " ".join(f"{percentile(values, p):8,.0f}" for p in PERCENTILES)
        print(
            f"{name:22} {len(values):8,d} {waits[name]:8,d} {figures if values else '   no result'}"
        )
    print("wait: for the watermark, or for a vehicle's order; not in p50 to p99")
    return 0


def wait_ms(name: str) -> int:
    """What a job waits for on purpose, before it says what it knows."""
    job = make(name, None, {})
    if isinstance(job, WindowJob):
        return job.bound_ms
    return job.reorder_ms if isinstance(job, OrderedJob) else 0


def percentile(values: list[float], percent: int) -> float:
    """By nearest rank."""
    return values[math.ceil(percent / 100 * len(values)) - 1] if values else math.nan


class Reading:
    """Everything that jobs say from now on."""

    def __init__(self, bootstrap: str, jobs: list[str]) -> None:
        self._consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "streambed-bench"})
        self._topics = {f"analytics.{name}": name for name in jobs}
        partitions = [
            TopicPartition(topic, number)
            for topic in (*self._topics, "input.vehicle-position")
            for number in self._consumer.list_topics(topic, timeout=30).topics[topic].partitions
        ]
        for partition in partitions:
            partition.offset = self._consumer.get_watermark_offsets(partition, timeout=30)[1]
        self._consumer.assign(partitions)

    def latencies(self, began_ms: float, ended_ms: float, waits: dict[str, int]) -> dict:
        """By job, of results that were due in that time; and how many positions came in it."""
        found: dict = defaultdict(list, {name: [] for name in self._topics.values()})
        positions = 0
        while messages := self._consumer.consume(10_000, timeout=3.0):
            written_ms = min(message.timestamp()[1] for message in messages)
            for message in messages:
                name = self._topics.get(message.topic())
                if name is None:
                    positions += began_ms <= message.timestamp()[1] < ended_ms
                    continue
                event_ms = _event_ms(message)
                if event_ms is not None and began_ms <= event_ms + waits[name] < ended_ms:
                    found[name].append(message.timestamp()[1] - event_ms - waits[name])
            if written_ms > ended_ms + GRACE_S * 1000:
                break
        self._consumer.close()
        return {**found, "positions": positions}


def _event_ms(message: object) -> int | None:
    """The event time of a result that counts: no early pane, no refinement, no other's vehicle."""
    try:
        event, details = decode(message.value(), wire_mode(message.headers()))
    except UndecodableRecord:
        return None
    if hasattr(details, "pane") and details.pane.kind != Pane.ON_TIME:
        return None
    if getattr(details, "vehicle", FIRST_VEHICLE) < FIRST_VEHICLE:
        return None
    return event.event_timestamp.ToMilliseconds()


@contextmanager
def fleet(options: argparse.Namespace) -> Iterator[None]:
    """As many more vehicles as the rate needs."""
    vehicles = max(0, options.rate - options.already)
    if not vehicles:
        yield
        return
    command = [
        *(sys.executable, "-m", "streambed.ingest", "simulate", "--mqtt", options.mqtt),
        *("--vehicles", str(vehicles), "--first", str(FIRST_VEHICLE), "--seed", str(options.seed)),
        *("--client-id", "streambed-bench", "--emergency-stops", "10"),
        *("--radio-losses", "0", "--reordered", "0"),
    ]
    simulator = subprocess.Popen(command)
    try:
        yield
    finally:
        simulator.terminate()
        simulator.wait(timeout=60)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m streambed.benches.latency")
    parser.add_argument("--bootstrap", required=True, metavar="HOST:PORT,…")
    parser.add_argument("--mqtt", required=True, metavar="HOST:PORT")
    parser.add_argument("--rate", type=int, default=1000, metavar="N", help="positions a second")
    parser.add_argument("--already", type=int, default=100, help="vehicles that publish already")
    parser.add_argument("--seconds", type=int, default=120, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N")
    return parser


if __name__ == "__main__":
    sys.exit(main())
