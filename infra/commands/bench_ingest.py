"""Measure how many events a second one core takes into the Kafka of a deployed stage."""

from __future__ import annotations

import os
import subprocess
import sys

from infra.commands.reach import deployed
from infra.context import REPO
from infra.stage import Stage
from jobs.build import JOBS, generate_schema


def bench_ingest(stage: Stage) -> None:
    topology, _ = deployed(stage)
    generate_schema()
    subprocess.run(
        [
            *(sys.executable, "-m", "streambed.ingest", "bench"),
            "--bootstrap",
            topology.kafka_bootstrap,
        ],
        cwd=REPO,
        env=os.environ | {"PYTHONPATH": str(JOBS)},
        check=True,
    )
