"""What ingestion tells Prometheus.

The pipeline adds to plain numbers; they become metrics only when somebody asks, so the hot path
pays nothing for being watched.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

# Seconds from event to ingestion: ordinary up to one, a lost radio up to minutes.
LAG_BOUNDS_MS = (50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000, 180_000)


class Lag:
    """A histogram as plain numbers; the pipeline adds to them itself, a call would cost more."""

    def __init__(self) -> None:
        self.counts = [0] * (len(LAG_BOUNDS_MS) + 1)
        self.sum_ms = 0

    def observe(self, lag_ms: int) -> None:
        self.counts[bisect_left(LAG_BOUNDS_MS, lag_ms)] += 1
        self.sum_ms += lag_ms


class Metrics:
    def __init__(self) -> None:
        self.received = 0
        self.acknowledged = 0
        self.settled = 0
        self.last_settled_ms = 0
        self.produced: Counter[str] = Counter()
        self.dropped: Counter[str] = Counter()
        self.dead_lettered: Counter[str] = Counter()
        self.lag = Lag()
        self.in_flight: Callable[[], int] = lambda: 0

    def describe(self) -> list:
        """Nothing in advance, or the registry would ask for everything at registration."""
        return []

    def collect(self) -> Iterator:
        yield _counter("received", "Messages taken from the source.", self.received)
        yield _counter("acknowledged", "Records that Kafka has acknowledged.", self.acknowledged)
        yield _counter("settled", "Messages that the source was told are safe.", self.settled)
        yield _labelled("produced", "Records handed to the producer.", "topic", self.produced)
        yield _labelled("dropped", "Messages that are not wanted.", "reason", self.dropped)
        yield _labelled(
            "dead_lettered", "Messages that are not understood.", "reason", self.dead_lettered
        )
        gauge = "Records on their way to Kafka."
        yield GaugeMetricFamily("streambed_ingest_in_flight", gauge, self.in_flight())
        gauge = "When the source was last told that something is safe."
        yield GaugeMetricFamily(
            "streambed_ingest_last_settled_timestamp_seconds", gauge, self.last_settled_ms / 1000
        )
        yield self._lag()

    def serve(self, port: int, address: str) -> None:
        registry = CollectorRegistry()
        registry.register(self)
        start_http_server(port, address, registry)

    def _lag(self) -> HistogramMetricFamily:
        buckets, total = [], 0
        for bound_ms, count in zip((*LAG_BOUNDS_MS, None), self.lag.counts):
            total += count
            buckets.append(("+Inf" if bound_ms is None else str(bound_ms / 1000), total))
        return HistogramMetricFamily(
            "streambed_ingest_lag_seconds",
            "From the time of an event to its receipt.",
            buckets=buckets,
            sum_value=self.lag.sum_ms / 1000,
        )


def _counter(name: str, text: str, value: int) -> CounterMetricFamily:
    return CounterMetricFamily(f"streambed_ingest_{name}", text, value)


def _labelled(name: str, text: str, label: str, values: Counter[str]) -> CounterMetricFamily:
    family = CounterMetricFamily(f"streambed_ingest_{name}", text, labels=[label])
    for value, count in list(values.items()):
        family.add_metric([value], count)
    return family
