"""What a stage needs for a rate of events, worked out from measured figures, formula by formula.

Pure arithmetic on a stage file: nothing is asked of a deployed stage. Every `Line` shows its
formula in words, the same with its numbers, what is needed, what the file has, and what to change.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from infra.duration import words
from infra.stage import EXECUTOR_MIB, WORKER_OFFERS, WORKER_OWN_MIB, Identity, Stage, Topic

# --- Measured figures, all of them, with what measured them ------------------------------------

# `make bench-jobs`. PLACEHOLDER until it has been run: events/s of one job on one core.
JOB_EVENTS_PER_CORE = 10_000
# 2026-11-18, `make bench-ingest`, lowest of five: decode to acknowledged.
INGEST_EVENTS_PER_CORE = 48_400
# 2026-11-18, `make bench-ingest`: before compression.
EVENT_BYTES = {"binary": 228, "json": 630}
# Bytes on a broker's disk per event, by events in a batch. Compression works on batches, and a
# batch is what one ingest host gathers for one partition in `linger` (20 ms): it is a matter of the
# rate, and at a low one nothing is saved at all.
# 2026-11-18, local stage, 100 vehicles. One event, binary: describe_log_dirs of
# input.vehicle-position, 36.9 MB of 132,626 records. The others: 5,000 of those records, batched
# and compressed anew with zstd level 3 (61 bytes of header a batch). Larger batches of the same 100
# vehicles would flatter: a faster feed has more vehicles, not the same ones again.
DISK_BYTES = {
    "binary": {1: 278, 2: 213, 5: 140, 10: 109, 20: 83},
    "json": {1: 494, 2: 300, 5: 168, 10: 119, 20: 87},
}
# Bytes on disk of a window job's result, which Spark writes in large batches: twice the 16.8 that
# describe_log_dirs told of 32,517 records of analytics.vehicle-distribution, 2026-11-18, from a
# first trial of the job and not from steady running.
RESULT_DISK_BYTES = 34
LINGER_S = 0.02  # jobs/streambed/ingest/kafka.py, LINGER_LIVE
# Part of the input by topic: the higher of the real feed (HFP 2020: 98 % are positions) and the
# simulated fleet (2026-11-18: 33,837 positions, 3,192 at stops, 12 others).
SHARES = {
    "input.vehicle-position": 0.98,
    "input.stop-event": 0.09,
    "input.journey-event": 0.01,
    "input.dead-letter": 0.001,
}

# --- Assumptions, not measured -----------------------------------------------------------------

# Records on a job's topic per event of the input. A window job tells every cell that is in use, at
# most one per vehicle, with two panes for a slide of 5 s; a vehicle is one event a second.
RESULTS = {"analytics.pass-through": 0.98, "analytics.emergency-stop": 0.001, "analytics.late": 0.1}
RESULTS_OF_A_WINDOW_JOB = 2 / 5
# What jobs read and for how many seconds they remember it, lateness included. A job that is not
# named here reads all input and remembers it as long as the longest.
JOBS: dict[str, tuple[tuple[str, ...], int]] = {
    "vehicle-distribution": (("input.vehicle-position",), 30 + 60),
    "delay-distribution": (("input.stop-event",), 300 + 60),
    "flow-direction": (("input.vehicle-position",), 300 + 60),
    "final-stop": (("input.vehicle-position",), 300 + 60),
    "emergency-stop": (("input.vehicle-position",), 5 + 5),
    "pass-through": (("input.vehicle-position",), 0),
}
INPUT = tuple(SHARES)[:3]
HEADROOM = 2
PARTITION_BYTES_PER_S = 5_000_000
SEGMENT_BYTES = 134_217_728  # playbooks/roles/kafka/defaults: the grain of retention
SEGMENT_S = 7 * 86400  # Kafka's own: a segment is closed by then, full or not
BATCH_S = 2  # of events at a time in the heap, in about so many copies:
COPIES = 4
STATE_BYTES = 120  # a remembered event in RocksDB's memory, which is beside the heap
PYTHON_MIB = 80  # a Python worker, of which every core has one

HEAP, BESIDE_HEAP = WORKER_OFFERS, round(1 - WORKER_OFFERS, 2)

MIB, GIB = 1 << 20, 1 << 30


class Change(NamedTuple):
    """What to raise in the stage file."""

    key: str
    to: int


@dataclass(frozen=True)
class Line:
    """`has` is None where a stage file has no key for it; `change` where what it has is enough."""

    name: str
    formula: str
    numbers: str
    needs: str
    has: str | None
    change: Change | None = None


@dataclass(frozen=True)
class Sizing:
    stage: Stage
    jobs: tuple[str, ...]
    rate: float

    def lines(self) -> Iterator[Line]:
        for topic in self.stage.topics:
            yield self._partitions(topic)
        if self.stage.with_role("ingest"):
            yield self._ingest()
        if self.jobs and self.stage.with_role("spark_worker"):
            yield self._cores()
            yield self._workers()
            yield self._shuffle_partitions()
            yield self._executor_memory()
            yield self._memory_beside_the_heap()
            yield self._catch_up()
        if self.stage.with_role("kafka"):
            yield self._disk()

    # Kafka

    def _partitions(self, topic: Topic) -> Line:
        events = self.rate * share(topic.name)
        readers = sum(topic.name in topics_of(job) for job in self.jobs)
        cores, by_volume = self._parallel(topic)
        needs = _up(max(cores, by_volume))
        return Line(
            f"partitions of {topic.name}",
            "max(events/s ÷ events/s per core × headroom: a job's cores read one each,"
            " bytes/s ÷ bytes/s per partition)",
            (
                f"max({_amount(events)} ÷ {JOB_EVENTS_PER_CORE:,} × {HEADROOM} = {cores:.2f}"
                f" ({readers} {'job reads' if readers == 1 else 'jobs read'} it)"
                if readers
                else "max(0 (no job reads it)"
            )
            + f", {_amount(events)} × {EVENT_BYTES[self.stage.wire]}"
            f" ÷ {PARTITION_BYTES_PER_S:,} = {by_volume:.2f})",
            f"{needs}",
            f"{topic.partitions}",
            _raise(f"topics.{topic.name}.partitions", topic.partitions, needs),
        )

    def _parallel(self, topic: Topic) -> tuple[float, float]:
        """Partitions for the cores of a job that reads the topic, and for the bytes."""
        events = self.rate * share(topic.name)
        is_read = any(topic.name in topics_of(job) for job in self.jobs)
        cores = events / JOB_EVENTS_PER_CORE * HEADROOM if is_read else 0.0
        return cores, events * EVENT_BYTES[self.stage.wire] / PARTITION_BYTES_PER_S

    def partitions_to_be(self, topic: Topic) -> int:
        """As many as there are, or will be once the file has been changed."""
        return max(topic.partitions, _up(max(self._parallel(topic))))

    def _disk(self) -> Line:
        kafka, brokers = self.stage.kafka, self.stage.with_role("kafka")
        kept = extra = 0.0
        for topic in self.stage.topics:
            rate = self.rate * share(topic.name) * self.disk_bytes(topic)
            of_topic = rate * topic.retention
            kept += of_topic
            open_segments = min(self.partitions_to_be(topic) * SEGMENT_BYTES, rate * SEGMENT_S)
            extra += max(0.2 * of_topic, open_segments)
        per_broker = kafka.replication_factor / len(brokers)
        needs = _up((kept + extra) * per_broker / GIB)
        has = min(broker.data_gib or 0 for broker in brokers)
        group = next(broker.group for broker in brokers if (broker.data_gib or 0) == has)
        return Line(
            "disk per broker",
            "Σ topics (events/s × bytes on disk × retention + segments) × replication ÷ brokers;"
            " segments: a fifth, or one per partition where that is more",
            f"({kept / GIB:,.2f} GiB + {extra / GIB:,.2f} GiB) × {kafka.replication_factor}"
            f" ÷ {len(brokers)}; bytes: "
            + ", ".join(
                f"{topic.name} {_amount(self.rate * share(topic.name))}/s"
                f" × {self.disk_bytes(topic)} × {words(topic.retention)}"
                for topic in self.stage.topics
            ),
            f"{needs} GiB",
            f"{has} GiB",
            _raise(f"hosts.{group}.data_gib", has, needs),
        )

    def disk_bytes(self, topic: Topic) -> int:
        """Of an event, in batches as large as the rate lets them become."""
        by_batch = DISK_BYTES[self.stage.wire]
        if topic.name not in SHARES:  # a job's: a batch of Spark's is large, whatever the rate
            return by_batch[max(by_batch)] if topic.name in RESULTS else RESULT_DISK_BYTES
        places = self.partitions_to_be(topic) * self.ingest_hosts_to_be
        batch = self.rate * share(topic.name) * LINGER_S / places
        return by_batch[max(size for size in by_batch if size <= max(batch, 1))]

    # Ingestion

    @property
    def ingest_hosts_to_be(self) -> int:
        hosts = self.stage.with_role("ingest")
        change = self._ingest().change if hosts else None
        if change is None:
            return max(len(hosts), 1)
        others = sum(host.group != hosts[-1].group for host in hosts)
        return others + change.to

    def _ingest(self) -> Line:
        hosts = self.stage.with_role("ingest")
        exact = self.rate / INGEST_EVENTS_PER_CORE * HEADROOM
        needs, has = _up(exact), sum(host.cores for host in hosts)
        return Line(
            "cores of ingestion",
            "events/s ÷ events/s per core × headroom",
            f"{_amount(self.rate)} ÷ {INGEST_EVENTS_PER_CORE:,} × {HEADROOM} = {exact:.2f}",
            f"{needs}",
            f"{has}",
            _more_hosts(hosts, has, needs),
        )

    # Spark

    @property
    def load(self) -> float:
        """Events/s that all jobs together take in."""
        return self.rate * sum(share(topic) for job in self.jobs for topic in topics_of(job))

    @property
    def cores_needed(self) -> int:
        return _up(self.load / JOB_EVENTS_PER_CORE * HEADROOM)

    @property
    def cores(self) -> int:
        return sum(worker.cores for worker in self.stage.with_role("spark_worker"))

    @property
    def workers_needed(self) -> int:
        per_worker = min(worker.cores for worker in self.stage.with_role("spark_worker"))
        return math.ceil(self.cores_needed / per_worker)

    @property
    def workers_to_be(self) -> int:
        """As many as there are, or will be once the file has been changed."""
        return max(len(self.stage.with_role("spark_worker")), self.workers_needed)

    def _more_workers(self) -> Change | None:
        return _more_hosts(self.stage.with_role("spark_worker"), self.cores, self.cores_needed)

    def _cores(self) -> Line:
        exact = self.load / JOB_EVENTS_PER_CORE * HEADROOM
        return Line(
            "cores of the executors",
            "events/s × Σ jobs (share of the input it reads) ÷ events/s per core × headroom",
            f"{_amount(self.rate)} × {self.load / self.rate:.2f} ÷ {JOB_EVENTS_PER_CORE:,}"
            f" × {HEADROOM} = {exact:.2f}",
            f"{self.cores_needed}",
            f"{self.cores}",
            self._more_workers(),
        )

    def _workers(self) -> Line:
        workers = self.stage.with_role("spark_worker")
        per_worker = min(worker.cores for worker in workers)
        has, needs = len(workers), self.workers_needed
        return Line(
            "workers",
            "cores ÷ cores per worker",
            f"{self.cores_needed} ÷ {per_worker} = {self.cores_needed / per_worker:.2f}",
            f"{needs}",
            f"{has}",
            self._more_workers(),
        )

    def _shuffle_partitions(self) -> Line:
        return Line(
            "shuffle partitions",
            "cores of the executors: the larger of those needed and those there",
            f"max({self.cores_needed}, {self.cores})",
            f"{max(self.cores_needed, self.cores)}",
            None,
        )

    def _executor_memory(self) -> Line:
        workers, count = self.stage.with_role("spark_worker"), self.workers_to_be
        in_flight = self.load * BATCH_S * EVENT_BYTES[self.stage.wire] * COPIES / MIB
        needs = _up(EXECUTOR_MIB + in_flight / count)
        smallest = min(workers, key=lambda worker: worker.memory_mib)
        executors = max(2, len(self.stage.applications()) + 1)
        has = heap_mib(smallest.memory_mib, executors)
        return Line(
            "heap of an executor",
            "least heap + events of a batch × bytes × copies ÷ workers",
            f"{EXECUTOR_MIB} MiB + {_amount(self.load)}/s × {BATCH_S} s"
            f" × {EVENT_BYTES[self.stage.wire]} × {COPIES} ÷ {count}",
            f"{needs} MiB",
            f"{has} MiB, (memory_mib − {WORKER_OWN_MIB}) × {HEAP} ÷ {executors}",
            _raise(
                f"hosts.{smallest.group}.memory_mib",
                has,
                needs,
                at=_memory_for_heap(needs, executors),
            ),
        )

    def _memory_beside_the_heap(self) -> Line:
        workers, count = self.stage.with_role("spark_worker"), self.workers_to_be
        remembered = self.rate * sum(
            share(topic) * remembered_s(job) for job in self.jobs for topic in topics_of(job)
        )
        smallest = min(workers, key=lambda worker: worker.memory_mib)
        state = remembered * STATE_BYTES * HEADROOM / count / MIB
        needs = _up(state + smallest.cores * PYTHON_MIB)
        has = math.floor((smallest.memory_mib - WORKER_OWN_MIB) * BESIDE_HEAP)
        return Line(
            "memory of a worker beside the heap",
            "events remembered × bytes of state × headroom ÷ workers + cores × Python",
            f"{_amount(remembered)} × {STATE_BYTES} × {HEADROOM} ÷ {count}"
            f" + {smallest.cores} × {PYTHON_MIB} MiB",
            f"{needs} MiB",
            f"{has} MiB, (memory_mib − {WORKER_OWN_MIB}) × {BESIDE_HEAP}",
            _raise(
                f"hosts.{smallest.group}.memory_mib",
                has,
                needs,
                at=_up(needs / BESIDE_HEAP) + WORKER_OWN_MIB,
            ),
        )

    def _catch_up(self) -> Line:
        outage, capacity = self.stage.outage_budget, self.cores * JOB_EVENTS_PER_CORE
        spare = capacity - self.load
        took = outage * self.load / spare if spare > 0 else math.inf
        return Line(
            "catching up after outage_budget",
            "outage × load ÷ (cores × events/s per core − load), to be no longer than the outage",
            f"{words(outage)} × {_amount(self.load)} ÷ ({self.cores} × {JOB_EVENTS_PER_CORE:,}"
            f" − {_amount(self.load)})",
            f"at most {words(outage)}",
            "never" if math.isinf(took) else f"{took:,.0f} s",
            self._more_workers(),  # twice the load leaves exactly the outage to catch up in
        )


def changes(lines: Iterable[Line]) -> list[Change]:
    """What to write in the stage file: of two lines about one key, the larger."""
    largest: dict[str, int] = {}
    for line in lines:
        if line.change is not None:
            largest[line.change.key] = max(line.change.to, largest.get(line.change.key, 0))
    return [Change(key, to) for key, to in largest.items()]


def share(topic: str) -> float:
    """Records on a topic per event of the input."""
    return SHARES.get(topic) or RESULTS.get(topic, RESULTS_OF_A_WINDOW_JOB)


def topics_of(job: str) -> tuple[str, ...]:
    return JOBS[job][0] if job in JOBS else INPUT


def remembered_s(job: str) -> int:
    return JOBS[job][1] if job in JOBS else max(seconds for _, seconds in JOBS.values())


def heap_mib(memory_mib: int, executors: int) -> int:
    """As playbooks/group_vars/all.yml has it: so many executors fit on the smallest worker."""
    return int((memory_mib - WORKER_OWN_MIB) * HEAP / executors)


def _up(number: float) -> int:
    """Whole, at least one, and without the dust of floats: 2.0000000000000004 are two."""
    return max(math.ceil(round(number, 9)), 1)


def _amount(number: float) -> str:
    return f"{number:,.0f}" if number >= 10 else f"{number:.3g}"


def _raise(key: str, has: int, needs: int, *, at: int | None = None) -> Change | None:
    """To what is needed, or to `at` where the key counts something else than the line."""
    return None if has >= needs else Change(key, needs if at is None else at)


def _more_hosts(hosts: Sequence[Identity], cores: int, needed: int) -> Change | None:
    """As many more of the last group as have the cores that are missing."""
    if cores >= needed:
        return None
    last = hosts[-1]
    count = sum(host.group == last.group for host in hosts)
    return Change(f"hosts.{last.group}.count", count + math.ceil((needed - cores) / last.cores))


def _memory_for_heap(mib: int, executors: int) -> int:
    memory = _up(mib * executors / HEAP) + WORKER_OWN_MIB
    return memory if heap_mib(memory, executors) >= mib else memory + 1
