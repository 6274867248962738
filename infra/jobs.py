"""What a stage file says of jobs, checked by the very code that will run them on the hosts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from infra.stage import Job

JOBS = Path(__file__).resolve().parents[1] / "jobs"


def complaint(job: Job) -> str | None:
    """What is wrong with a job, as a sentence."""
    return _catalogue().complaint(
        name=job.name,
        file=_own_file(job),
        options=job.options,
        trigger=job.trigger,
        guarantee=job.guarantee,
    )


def topics(job: Job) -> tuple[set[str], set[str]]:
    """The topics that a job reads, and those that it writes to."""
    return _catalogue().topics(name=job.name, file=_own_file(job))


def source(job: Job) -> Path:
    """The file that the job is in: the user's own, or one of those that come with Streambed."""
    bundled = JOBS / "streambed" / "analytics" / "jobs" / f"{job.name.replace('-', '_')}.py"
    return _own_file(job) or bundled


def _own_file(job: Job) -> Path | None:
    from infra.stage import folder

    return None if job.file is None else (folder() / job.file).resolve()


def _catalogue() -> Any:
    # Here, because few commands and few stages need it, and the schema's code is made first.
    if str(JOBS) not in sys.path:
        sys.path.append(str(JOBS))
    from jobs.build import generate_schema

    generate_schema()
    from streambed.analytics import catalogue

    return catalogue
