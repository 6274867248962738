"""The package that ingestion and jobs run, as one zip, and what tells whether each has changed."""

from dataclasses import dataclass
from pathlib import Path

from infra import jobs
from infra.setup.cache import cached, digest
from infra.stage import Stage
from jobs.build import JOBS, PACKAGE, build_package, sources


@dataclass(frozen=True)
class Part:
    """What something that runs is made from, as folders of the package."""

    folders: tuple[str, ...]
    without: tuple[str, ...] = ()


# A change elsewhere must not restart a part. Jobs are files of their own: one that has changed is
# restarted alone, by a driver that runs on; and skew is a tool of the control machine.
PARTS = {
    "ingest": Part(("events", "ingest")),
    "jobs": Part(("events", "analytics"), without=("analytics/jobs", "analytics/skew")),
}


def package() -> dict[str, str]:
    """The path and the digest of the zip, and the digest of what each part runs."""
    files = sources()
    archive = cached("package", "streambed", _inputs(files), lambda e: _build(e.path))
    return {
        "archive": str(archive / "streambed.zip"),
        "digest": digest(_inputs(files)),
        **{name: digest(_inputs(_part(files, part))) for name, part in PARTS.items()},
    }


def job_files(stage: Stage) -> dict[str, dict[str, str]]:
    """For each job the path of its file here, and the digest that is part of its name there."""
    found = {job.name: jobs.source(job) for job in stage.jobs}
    return {name: {"path": str(file), "digest": digest([file])} for name, file in found.items()}


def _build(directory: Path) -> None:
    build_package(directory / "streambed.zip")


def _part(files: list[Path], part: Part) -> list[Path]:
    """What lies in the folders, and what lies in none."""
    names = {file: file.relative_to(PACKAGE) for file in files}
    return [
        file
        for file, name in names.items()
        if name.parts[0] in (*part.folders, file.name)
        and not any(name.is_relative_to(folder) for folder in part.without)
    ]


def _inputs(files: list[Path]) -> list[str | Path]:
    """Names and contents."""
    return [part for file in files for part in (str(file.relative_to(JOBS)), file)]
