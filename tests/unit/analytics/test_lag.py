"""How far a job is behind, and what a driver tells of a batch."""

from types import SimpleNamespace

from streambed.analytics.lag import Ends, lag
from streambed.analytics.status import describe

TOPIC = "input.vehicle-position"
PROGRESS = {
    "batchId": 7,
    "timestamp": "2026-11-18T18:00:00.000Z",
    "durationMs": {"triggerExecution": 900},
    "inputRowsPerSecond": 100.0,
    "processedRowsPerSecond": float("nan"),
    "eventTime": {"max": "2026-11-18T18:00:00.000Z", "watermark": "2026-11-18T17:59:50.500Z"},
    "stateOperators": [{"memoryUsedBytes": 10}],
    "sources": [{"endOffset": {TOPIC: {"0": 5, "1": 7}}}],
}


def test_the_lag_is_what_kafka_has_and_the_job_has_not_read():
    assert lag({(TOPIC, 0): 5, (TOPIC, 1): 7}, {(TOPIC, 0): 6, (TOPIC, 1): 9}) == 3


def test_a_partition_that_was_never_read_counts_whole():
    assert lag({}, {(TOPIC, 0): 6}) == 6


def test_it_is_unknown_while_kafka_does_not_answer():
    assert lag({(TOPIC, 0): 5}, {}) is None


def test_kafka_is_not_asked_for_every_job():
    asked = []
    ends = Ends(lambda topics: asked.append(topics) or {(TOPIC, 0): 1})
    assert ends.of(TOPIC) == ends.of(TOPIC)
    assert asked == [[TOPIC]]


def test_a_driver_tells_how_a_job_fares():
    counts = SimpleNamespace(records=1, undecodable=0, late=2, vehicles=3)
    job = SimpleNamespace(
        query=SimpleNamespace(lastProgress=PROGRESS),
        job_query=SimpleNamespace(counts=counts, job=SimpleNamespace(input=TOPIC)),
        entry=SimpleNamespace(file="/x.py"),
        seen=SimpleNamespace(restarts=0, resets=0),
        **{"state": "running", "sentence": "", "since": 0.0, "generation": 0},
    )
    told = describe("flow-direction", job, Ends(lambda _: {(TOPIC, 0): 6, (TOPIC, 1): 9}))
    assert (told["lag"], told["watermark_delay_s"], told["batch_ms"]) == (3, 9.5, 900)
    assert (told["late"], told["state_rows"], told["processed_per_second"]) == (2, 3, None)
