"""Analyse the event-time skew of a topic of a deployed stage, or of a recording without one."""

from __future__ import annotations

import os
import subprocess
import sys

from infra.commands.reach import deployed
from infra.context import REPO
from infra.stage import Stage
from jobs.build import JOBS, generate_schema

OPTIONS = ("TOPIC", "FILE", "SINCE", "COMPLETENESS", "PLOT")


def skew(stage: Stage) -> None:
    given = {name: os.environ[name] for name in OPTIONS if os.environ.get(name)}
    arguments = [f"--{name.lower()}={value}" for name, value in given.items()]
    if "TOPIC" in given and "FILE" not in given:
        topology, _ = deployed(stage)
        arguments.append(f"--bootstrap={topology.kafka_bootstrap}")
    generate_schema()
    done = subprocess.run(
        [sys.executable, "-m", "streambed.analytics.skew", *arguments],
        cwd=REPO,
        env=os.environ | {"PYTHONPATH": str(JOBS)},
    )
    if done.returncode:
        raise SystemExit(done.returncode)  # it has said why
