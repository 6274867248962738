"""Prometheus gets what the pipeline counted."""

from prometheus_client import CollectorRegistry, generate_latest
from streambed.ingest.metrics import Metrics


def exposed(metrics: Metrics) -> str:
    registry = CollectorRegistry()
    registry.register(metrics)
    return generate_latest(registry).decode()


def test_counts_are_exposed_with_their_labels():
    metrics = Metrics()
    metrics.received = 7
    metrics.produced["input.stop-event"] += 2
    metrics.dropped["duplicate"] += 3
    metrics.dead_lettered["not json"] += 1
    metrics.in_flight = lambda: 5
    text = exposed(metrics)
    assert "streambed_ingest_received_total 7.0" in text
    assert 'streambed_ingest_produced_total{topic="input.stop-event"} 2.0' in text
    assert 'streambed_ingest_dropped_total{reason="duplicate"} 3.0' in text
    assert 'streambed_ingest_dead_lettered_total{reason="not json"} 1.0' in text
    assert "streambed_ingest_in_flight 5.0" in text


def test_the_lag_is_a_histogram_that_counts_upwards():
    metrics = Metrics()
    for lag_ms in (-5, 50, 51, 10**9):
        metrics.lag.observe(lag_ms)
    text = exposed(metrics)
    assert 'streambed_ingest_lag_seconds_bucket{le="0.05"} 2.0' in text
    assert 'streambed_ingest_lag_seconds_bucket{le="0.1"} 3.0' in text
    assert 'streambed_ingest_lag_seconds_bucket{le="+Inf"} 4.0' in text
    assert "streambed_ingest_lag_seconds_count 4.0" in text
