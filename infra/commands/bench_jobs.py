"""Measure the jobs of a stage: from event to result, and how fast an hour is worked off."""

from __future__ import annotations

import os
import subprocess
import sys

from infra.commands import oracle
from infra.commands.reach import NotThere, deployed
from infra.context import REPO
from infra.setup import local_spark
from infra.setup.hosts_python import INTERPRETER
from infra.stage import Stage
from jobs.build import JOBS, generate_schema


def bench_latency(stage: Stage) -> None:
    """With a second fleet, so that RATE positions arrive each second."""
    topology, _ = deployed(stage)
    generate_schema()
    brokers = topology.with_role("mqtt_broker")
    if not brokers:
        raise NotThere(f"{stage.name} has no MQTT broker of its own to publish to.")
    already = stage.fleet.vehicles if topology.with_role("fleet") else 0
    _python(
        *("streambed.benches.latency", "--bootstrap", topology.kafka_bootstrap),
        *("--mqtt", f"{brokers[0].address}:1883", "--already", str(already)),
        *("--rate", os.environ.get("RATE") or "1000"),
        *("--seconds", os.environ.get("SECONDS") or "120"),
    )


def bench_jobs(stage: Stage) -> None:
    """A recorded hour through every job, on this machine, and what the oracle says of it."""
    topology, _ = deployed(stage)
    generate_schema()
    assert topology.bucket
    bootstrap = ("--bootstrap", topology.kafka_bootstrap)
    recording = os.environ.get("RECORDING")
    try:
        _python(
            *("streambed.benches.hour", "make", *bootstrap),
            *(("--recording", recording) if recording else ()),
        )
        environment = local_spark.environment()
        subprocess.run(
            [
                *(INTERPRETER, "-m", "streambed.benches.replay", *bootstrap),
                *("--connectors", local_spark.connectors()),
            ],
            cwd=REPO,
            env=os.environ | environment | {"STREAMBED_BUCKET": topology.bucket.model_dump_json()},
            check=True,
        )
        code = oracle.ask(topology, "--prefix", "replay.")
    finally:
        _python("streambed.benches.hour", "remove", *bootstrap)
    sys.exit(code)


def _python(*words: str) -> None:
    subprocess.run(
        [sys.executable, "-m", *words],
        cwd=REPO,
        env=os.environ | {"PYTHONPATH": str(JOBS)},
        check=True,
    )
