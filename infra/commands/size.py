"""Tell what a stage needs for a rate of events, and whether its file has it."""

from __future__ import annotations

import math
import os

from infra.sizing import Line, Sizing, changes
from infra.stage import Stage


class WrongRate(Exception):
    """RATE is no rate."""


def size(stage: Stage) -> None:
    rate = rate_of(os.environ.get("RATE", ""))
    jobs = tuple(job.name for job in stage.jobs)
    lines = list(Sizing(stage=stage, jobs=jobs, rate=rate).lines())
    print(f"{stage.name} at {rate:,g} events/s, jobs: {', '.join(jobs) or 'none'}\n")
    for line in lines:
        print(f"{line.name}\n  {line.formula}\n  = {line.numbers}")
        print(f"  needs {line.needs}; {_verdict(line)}\n")
    if wanted := changes(lines):
        print(f"Not enough for {rate:,g} events/s. Raise in the stage file {stage.name}.yml:")
        for key, to in wanted:
            print(f"  {key} to {to}")
    else:
        print(f"Enough for {rate:,g} events/s.")


def _verdict(line: Line) -> str:
    if line.has is None:
        return "no key of the stage file"
    told = f"raise {line.change.key} to {line.change.to}" if line.change else "enough"
    return f"has {line.has}: {told}"


def rate_of(text: str) -> float:
    try:
        rate = float(text.replace(",", "").replace("_", ""))
    except ValueError:
        rate = math.nan
    if not 0 < rate < math.inf:
        found = f"found {text!r}" if text else "it is missing"
        raise WrongRate(f"RATE must be a number of events a second above 0; {found}.")
    return rate
