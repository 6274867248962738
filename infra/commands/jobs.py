"""See the jobs of a deployed stage, and stop, start, restart and reset them."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from infra import table
from infra.commands.destroy import Refused
from infra.commands.reach import NotThere, deployed
from infra.stage import Stage

NO_ANSWER = 255  # of ssh itself, whatever the command would have said
WRONG = 2


class JobError(Exception):
    """What was asked of a job has not come about; the message says what has."""


def jobs(stage: Stage) -> None:
    table.jobs(json.loads(_ask(stage, "list")))


def stop(stage: Stage) -> None:
    print(_ask(stage, "stop", _job(stage)), end="")


def start(stage: Stage) -> None:
    print(_ask(stage, "start", _job(stage)), end="")


def restart(stage: Stage) -> None:
    print(_ask(stage, "restart", _job(stage)), end="")


def reset(stage: Stage) -> None:
    job = _job(stage)
    _confirm(job)
    print(_ask(stage, "reset", job), end="")


def _job(stage: Stage) -> str:
    job = os.environ.get("JOB", "")
    known = [job.name for job in stage.jobs]
    if job not in known:
        raise NotThere(
            f"JOB must name a job of {stage.name}: {', '.join(known) or 'it has none'}; "
            f"found {job!r}."
        )
    return job


def _confirm(job: str) -> None:
    """A checkpoint that is gone does not come back: ask whoever is there, or want it in writing."""
    loss = (
        f"job-reset discards the checkpoint of {job}: its state and its place in the input are gone"
        " for good, and it begins anew with the oldest records kept."
    )
    if os.environ.get("CONFIRM", "") == job:
        return
    if not sys.stdin.isatty():
        raise Refused(f"{loss} Say `make job-reset JOB={job} CONFIRM={job}` if that is wanted.")
    if input(f"{loss}\nType the name of the job to go on: ") != job:
        raise Refused("Nothing was reset.")


def _ask(stage: Stage, *words: str) -> str:
    """What the first host that answers says: any of them reaches the driver."""
    topology, config = deployed(stage)
    hosts = [host.name for host in topology.with_role("job")]
    if not hosts:
        raise NotThere(f"{stage.name} has no host with the role job; deploy a stage file with one.")
    for host in hosts:
        done = _run(config, host, shlex.join(["streambed-jobs", *words]))
        if done.returncode == 0:
            return done.stdout
        if done.returncode != NO_ANSWER:
            kind = Refused if done.returncode == WRONG else JobError
            raise kind(done.stderr.strip())
    raise JobError(f"None of {', '.join(hosts)} answers; `make status` tells how they fare.")


def _run(config: Path, host: str, command: str) -> subprocess.CompletedProcess[str]:
    options = ("-F", str(config), "-o", "ConnectTimeout=3", "-o", "BatchMode=yes")
    return subprocess.run(
        ["ssh", *options, host, command], stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
