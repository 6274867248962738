"""Tables for people: what runs where, the addresses to open, and how the jobs are."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from infra.topology import Host, Topology

_SERVES = {
    "kafka": lambda host: f"kafka {host.address}:9092",
    "zookeeper": lambda host: f"zookeeper {host.address}:2181",
    "spark_master": lambda host: f"spark master http://{host.address}:8080",
    "spark_worker": lambda host: f"spark worker http://{host.address}:8081",
    "object_store": lambda host: f"S3 http://{host.address}:7070",
    "mqtt_broker": lambda host: f"MQTT {host.address}:1883",
    "ingest": lambda host: f"ingest on {host.address}",
    "fleet": lambda host: "simulated fleet",
    "job": lambda host: "jobs (or waits to take over)",
}


_FIGURES = {
    "lag": "lag",
    "in/s": "input_per_second",
    "done/s": "processed_per_second",
    "watermark s": "watermark_delay_s",
    "batch ms": "batch_ms",
    "state rows": "state_rows",
    "late": "late",
}


def what_runs_where(topology: Topology, state_of: dict[str, str] | None = None) -> None:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("host", "zone", "memory", "serves", *(["state"] if state_of else [])):
        table.add_column(column, no_wrap=column != "serves")
    for host in topology.hosts:
        row = [host.name, host.zone, f"{host.memory_mib} MiB", _serves(host)]
        table.add_row(*row, *([state_of.get(host.name, "")] if state_of else []))
    _print(table)


def addresses(topology: Topology) -> None:
    masters = ",".join(f"{host.address}:7077" for host in topology.with_role("spark_master"))
    for name, value in {
        "Kafka bootstrap": topology.kafka_bootstrap,
        "Spark master": masters and f"spark://{masters}",
        "Spark UI": " ".join(
            f"http://{host.address}:8080" for host in topology.with_role("spark_master")
        ),
        "S3 bucket": topology.bucket
        and f"s3://{topology.bucket.name} at {topology.bucket.endpoint}",
        "MQTT broker": " ".join(
            f"{host.address}:1883" for host in topology.with_role("mqtt_broker")
        ),
    }.items():
        if value:
            print(f"{name}: {value}")


def jobs(applications: list[dict[str, Any]]) -> None:
    """What `streambed-jobs list` says, a row a job; what a job does not tell stays empty."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("job", "application", "state", "driver", *_FIGURES):
        table.add_column(column, no_wrap=True, justify="right" if column in _FIGURES else "left")
    for application in applications:
        driver = (application["driver"] or {}).get("host", "none")
        for job in application["jobs"]:
            figures = [_figure(job.get(key)) for key in _FIGURES.values()]
            table.add_row(job["name"], application["application"], job["state"], driver, *figures)
    _print(table)
    for application in applications:
        for job in application["jobs"]:
            if job.get("sentence"):
                print(f"{job['name']}: {job['sentence']}")


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f}".removesuffix(".0")


def _serves(host: Host) -> str:
    return "\n".join(_SERVES[role](host) for role in host.roles)


def _print(table: Table) -> None:
    # A log has no width: never wrap what somebody may want to copy.
    Console(width=None if Console().is_terminal else 130, highlight=False).print(table)
