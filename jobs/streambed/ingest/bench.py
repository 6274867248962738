"""How many events a second one core takes from a recording into Kafka, decode to acknowledged.

Makes a recording with the simulator (default imperfections, zstd), replays it as fast as possible
through the whole pipeline with the producer's promises unchanged, and counts the records that
Kafka has acknowledged. A core is a second of CPU time of this process, librdkafka's threads and
the operating system's part included: brokers and others on the same machine do not count, and
cannot be mistaken for more cores. The process is bound to one core, so the wall clock's figure,
which is shown beside it, cannot come from more than one either.

Records go to topics of the benchmark's own, made like the stage's and removed afterwards. Beside
the rate it tells the simulator's, and the size of an event in both wire modes.
"""

import argparse
import os
import resource
import statistics
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from kafka.admin import KafkaAdminClient, NewTopic

from streambed.events.codec import WIRE_MODES, WireMode, encoder
from streambed.ingest.cli import main, spare_the_collector
from streambed.ingest.connectors.recording import RecordingConnector
from streambed.ingest.hfp.processor import HfpProcessor
from streambed.ingest.messages import Record
from streambed.ingest.pipeline import Pipeline
from streambed.ingest.recordings import parse_line, read_lines
from streambed.producer import make_producer

VEHICLES = 1000
# A second of a vehicle is 1.1 messages: positions, and events at stops.
MESSAGES_PER_SECOND = VEHICLES * 1.1
SAMPLE = 20_000  # events whose size is measured

DEAD_LETTERS = "bench.dead-letter"


class _Processor(HfpProcessor):
    """The same work, for topics that no job reads."""

    position_topic, stop_topic, journey_topic = topics = (
        *("bench.vehicle-position", "bench.stop-event", "bench.journey-event"),
    )


def bench(options: argparse.Namespace) -> int:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    spare_the_collector()
    with TemporaryDirectory() as directory:
        recording = Path(directory) / "bench.jsonl.zst"
        seconds = max(1, round(options.messages / MESSAGES_PER_SECOND))
        cpu = _cpu_seconds()
        main(
            [
                *("simulate", "--vehicles", str(VEHICLES), "--seconds", str(seconds)),
                *("--file", str(recording), "--start", "2026-05-04T06:00:00Z"),
            ]
        )
        made = sum(len(lines) for lines in read_lines(str(recording)))
        print(f"simulator: {made / (_cpu_seconds() - cpu):,.0f} messages/s per core")
        for mode in WIRE_MODES:
            print(f"{mode}: {_mean_size(recording, mode):.0f} bytes per event, before compression")
        print("run    events  per s of CPU  per s of wall clock")
        runs = []
        with _topics(options.bootstrap):
            _measure(recording, options)  # new topics take a while to find their leaders
            for number in range(1, options.runs + 1):
                events, cpu, wall = _measure(recording, options)
                runs.append((events / cpu, events / wall))
                print(f"{number:3d}  {events:8,d}  {events / cpu:12,.0f}  {events / wall:19,.0f}")
    rates = sorted(rate for rate, _ in runs)
    wall = statistics.median(rate for _, rate in runs)
    print(
        f"{statistics.median(rates):,.0f} events/s per core, decode to acknowledged"
        f" ({options.wire}, {options.compression}; median of {len(rates)},"
        f" {rates[0]:,.0f} to {rates[-1]:,.0f}; wall clock {wall:,.0f})"
    )
    return 0


def _measure(recording: Path, options: argparse.Namespace) -> tuple[int, float, float]:
    connector = RecordingConnector(source=str(recording), speed=0)
    tuning = {"compression.type": options.compression}
    producer = make_producer(options.bootstrap, tuning)
    pipeline = Pipeline(
        connector, _Processor(), producer, wire=options.wire, dead_letter_topic=DEAD_LETTERS
    )
    cpu, wall = _cpu_seconds(), time.monotonic()
    pipeline.run(threading.Event())
    cpu, wall = _cpu_seconds() - cpu, time.monotonic() - wall
    return pipeline.metrics.acknowledged, cpu, wall


@contextmanager
def _topics(bootstrap: str) -> Iterator[None]:
    names = [*_Processor.topics, DEAD_LETTERS]
    admin = KafkaAdminClient(bootstrap_servers=bootstrap.split(","))
    try:
        admin.create_topics([NewTopic(name, 6, -1) for name in names])  # replicated as the stage is
        yield
    finally:
        admin.delete_topics(names)
        admin.close()


def _mean_size(recording: Path, mode: WireMode) -> float:
    processor, encode = HfpProcessor(), encoder(mode)
    lines = (line for chunk in read_lines(str(recording)) for line in chunk)
    messages = [parse_line(line) for line in islice(lines, SAMPLE)]
    outcomes = [(processor.process(message), message.received_ms) for message in messages]
    return statistics.mean(
        len(encode(outcome.event_ms, received_ms, outcome.details))
        for outcome, received_ms in outcomes
        if isinstance(outcome, Record)
    )


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
