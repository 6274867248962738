"""What a driver tells of its jobs: `/metrics` for Prometheus, `/jobs` for operators."""

import json
import threading
from collections.abc import Iterator
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from streambed.analytics.lag import Ends, Place, lag

if TYPE_CHECKING:
    from streambed.analytics.running import Running

PREFIX = "streambed_job_"
GAUGES = {
    "lag": "Records of the input that the job has not read yet.",
    "input_per_second": "Records that arrive, each second.",
    "processed_per_second": "Records that the job manages while it works, each second.",
    "watermark_delay_s": "Seconds from the watermark to the newest event.",
    "state_rows": "Vehicles in the state.",
    "state_bytes": "Memory that the state takes.",
    "batch_ms": "Duration of the last batch.",
    "batch_id": "Number of the last batch.",
}
COUNTERS = {
    "records": "Records read since the job was started.",
    "undecodable": "Records that are no event of the input's type.",
    "late": "Records set aside in analytics.late.",
}


class Status:
    def __init__(self, driver: Any, ends: Ends) -> None:
        self._driver = driver
        self._ends = ends

    def jobs(self) -> list[dict[str, Any]]:
        return [describe(name, job, self._ends) for name, job in list(self._driver.jobs.items())]

    def describe(self) -> list:
        """Nothing in advance, or the registry would ask for everything at registration."""
        return []

    def collect(self) -> Iterator:
        rows = self.jobs()
        up = GaugeMetricFamily(f"{PREFIX}up", "Whether the job runs.", labels=["job"])
        for row in rows:
            up.add_metric([row["name"]], float(row["state"] == "running"))
        yield up
        for family, names in ((GaugeMetricFamily, GAUGES), (CounterMetricFamily, COUNTERS)):
            for name, text in names.items():
                metric = family(f"{PREFIX}{name}", text, labels=["job"])
                for row in rows:
                    if row.get(name) is not None:
                        metric.add_metric([row["name"]], row[name])
                yield metric

    def serve(self, port: int, address: str) -> None:
        registry = CollectorRegistry()
        registry.register(self)
        status = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/metrics":
                    content, kind = generate_latest(registry), "text/plain; version=0.0.4"
                elif self.path == "/jobs":
                    content, kind = json.dumps(status.jobs()).encode(), "application/json"
                else:
                    self.send_error(404)
                    return
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer((address, port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()


def describe(name: str, job: "Running", ends: Ends) -> dict[str, Any]:
    counts = job.job_query.counts if job.job_query else None
    progress = job.query.lastProgress if job.query is not None else None
    told = of_progress(progress)
    if (read := told.pop("read", None)) is not None:
        told["lag"] = lag(read, ends.of(job.job_query.job.input))
    return {
        "name": name,
        "state": job.state,
        "sentence": job.sentence,
        "since": job.since,
        "generation": job.generation,
        "restarts": job.seen.restarts,
        "resets": job.seen.resets,
        "file": job.entry.file,
        **told,
        **(
            {"records": counts.records, "undecodable": counts.undecodable, "late": counts.late}
            if counts
            else {}
        ),
        **({"state_rows": counts.vehicles} if counts else {}),
    }


def of_progress(progress: Any) -> dict[str, Any]:
    """The figures of a batch, as Spark tells them."""
    if progress is None:
        return {}
    progress = progress if isinstance(progress, dict) else json.loads(progress.json)
    source = progress["sources"][0]
    times = progress.get("eventTime", {})
    return {
        "batch_id": progress["batchId"],
        "batch_ms": progress["durationMs"].get("triggerExecution"),
        "input_per_second": _finite(progress.get("inputRowsPerSecond")),
        "processed_per_second": _finite(progress.get("processedRowsPerSecond")),
        "read": _offsets(source.get("endOffset")),
        "watermark_delay_s": _delay(times),
        "state_bytes": sum(one["memoryUsedBytes"] for one in progress.get("stateOperators", [])),
        "at": progress["timestamp"],
    }


def _offsets(told: Any) -> dict[Place, int] | None:
    if isinstance(told, str):
        told = json.loads(told)
    if not isinstance(told, dict):
        return None
    return {
        (topic, int(partition)): offset
        for topic, partitions in told.items()
        for partition, offset in partitions.items()
    }


def _delay(times: dict[str, str]) -> float | None:
    if "max" not in times or "watermark" not in times:
        return None
    newest, watermark = (datetime.fromisoformat(times[key]) for key in ("max", "watermark"))
    if watermark.year == 1970:
        return None
    return (newest - watermark).total_seconds()


def _finite(value: Any) -> float | None:
    return value if isinstance(value, int | float) and value == value else None
