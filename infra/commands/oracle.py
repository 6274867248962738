"""Compute anew, as a batch, what the jobs of a deployed stage must have said, and compare."""

from __future__ import annotations

import os
import subprocess
import sys

from infra.commands.reach import NotThere, deployed
from infra.context import REPO
from infra.stage import Stage
from infra.topology import Bucket, Topology
from jobs.build import JOBS, generate_schema

# Those that the oracle has an expectation of; it refuses any other by itself.
JUDGED = (
    *("vehicle-distribution", "delay-distribution", "flow-direction"),
    *("final-stop", "emergency-stop", "pass-through"),
)


def oracle(stage: Stage) -> None:
    """Ends the process with the oracle's own exit code: its last line is the last word."""
    names = _names(stage, os.environ.get("JOB", ""))
    topology, _ = deployed(stage)
    if topology.bucket is None:
        raise NotThere(f"{stage.name} has no bucket, and so no job has a checkpoint.")
    since = os.environ.get("SINCE")
    sys.exit(
        ask(
            topology,
            *(word for name in names for word in ("--job", name)),
            *([f"--since={since}"] if since else []),
        )
    )


def ask(topology: Topology, *words: str) -> int:
    """Run the oracle; it says what it finds, and returns its exit code."""
    generate_schema()
    bucket = topology.bucket
    assert bucket
    place = ["--bootstrap", topology.kafka_bootstrap, "--bucket", bucket.name]
    if bucket.endpoint:
        place += ["--endpoint", bucket.endpoint]
    return subprocess.run(
        [sys.executable, "-m", "streambed.oracle", *place, "--region", bucket.region, *words],
        cwd=REPO,
        env=os.environ | {"PYTHONPATH": str(JOBS)} | _keys(bucket),
    ).returncode


def _names(stage: Stage, asked: str) -> list[str]:
    declared = [job.name for job in stage.jobs]
    if asked and asked not in declared:
        known = ", ".join(declared) or "none"
        raise NotThere(f"JOB must name a job of {stage.name}: {known}; found {asked!r}.")
    if asked and asked not in JUDGED:
        raise NotThere(f"There is no oracle for {asked}; there is one for {', '.join(JUDGED)}.")
    for name in declared:
        if name not in JUDGED and not asked:
            print(f"no oracle for {name}", flush=True)
    names = [name for name in declared if name in JUDGED and asked in ("", name)]
    if not names:
        raise NotThere(f"{stage.name} has no job that there is an oracle for; see `jobs`.")
    return names


def _keys(bucket: Bucket) -> dict[str, str]:
    """Where the provider hands out keys; elsewhere the environment's own are used."""
    if not bucket.access_key or not bucket.secret_key:
        return {}
    return {"AWS_ACCESS_KEY_ID": bucket.access_key, "AWS_SECRET_ACCESS_KEY": bucket.secret_key}
