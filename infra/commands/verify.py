"""Run the infrastructure tests against a deployed stage."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable

from infra import context
from infra.context import REPO
from infra.phases import Phases
from infra.stage import Stage


class VerifyError(Exception):
    """The stage is not what its file says; the message is what pytest said of it."""


def verify(stage: Stage) -> None:
    phases = Phases()
    with phases.phase("verify", f"every role on every host of {stage.name}") as phase:
        phase.result = run_tests(stage, phase.progress)


def run_tests(stage: Stage, progress: Callable[[str], None], *, with_spark_job: bool = True) -> str:
    """Run them and return the count; a job on a cluster that nobody touched can be left out."""
    log = context.state(stage.name) / "logs" / "verify.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    # Two at a time, a module each: most checks wait for a host, and one for Spark.
    options = ("-v", "--color=no", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadfile")
    if not with_spark_job:
        options += ("--ignore=tests/infra/test_spark_job.py",)
    process = subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, "tests/infra"],
        cwd=REPO,
        env=os.environ | {"STAGE": stage.name, "PYTHONPATH": str(REPO)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line)
        if test := re.search(r"PASSED \S+::(\S+)", line):
            progress(test[1])
    log.write_text("".join(lines))
    if process.wait() != 0:
        failures = next((i for i, line in enumerate(lines) if "= FAILURES" in line), 0)
        raise VerifyError("".join(lines[failures:][-120:]) + f"The whole output is in {log}.")
    return re.sub(r"[= ]+in [\d.]+s.*|^[= ]+", "", lines[-1]).strip()
