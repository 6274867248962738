"""How many events a second one core takes from a recording into Kafka, decode to acknowledged.

Makes a recording with the simulator (default imperfections, zstd), replays it as fast as possible
through the whole pipeline with the producer's promises unchanged, and counts the records that
Kafka has acknowledged. A core is a second of CPU time of this process, librdkafka's threads and
the operating system's part included: brokers and others on the same machine do not count, and
cannot be mistaken for more cores. The process is bound to one core, so the wall clock's figure,
which is shown beside it, cannot come from more than one either.
"""

import argparse
import os
import resource
import statistics
import threading
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from streambed.ingest.cli import main, spare_the_collector
from streambed.ingest.connectors.recording import RecordingConnector
from streambed.ingest.hfp.processor import HfpProcessor
from streambed.ingest.kafka import make_producer
from streambed.ingest.pipeline import Pipeline

VEHICLES = 1000
# A second of a vehicle is 1.1 messages: positions, and events at stops.
MESSAGES_PER_SECOND = VEHICLES * 1.1


def bench(options: argparse.Namespace) -> int:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    spare_the_collector()
    with TemporaryDirectory() as directory:
        recording = Path(directory) / "bench.jsonl.zst"
        seconds = max(1, round(options.messages / MESSAGES_PER_SECOND))
        main(
            [
                *("simulate", "--vehicles", str(VEHICLES), "--seconds", str(seconds)),
                *("--file", str(recording), "--start", "2026-05-04T06:00:00Z"),
            ]
        )
        print("run    events  per s of CPU  per s of wall clock")
        runs = []
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
    producer = make_producer(options.bootstrap, {"compression.type": options.compression})
    connector = RecordingConnector(source=str(recording), speed=0)
    pipeline = Pipeline(connector, HfpProcessor(), producer, wire=options.wire)
    cpu, wall = _cpu_seconds(), time.monotonic()
    pipeline.run(threading.Event())
    cpu, wall = _cpu_seconds() - cpu, time.monotonic() - wall
    return pipeline.metrics.acknowledged, cpu, wall


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
