"""The package that ingestion and jobs run, as one zip, and what tells whether each has changed."""

from pathlib import Path

from infra.setup.cache import cached, digest
from jobs.build import JOBS, build_package, sources

# What a part of the package is made from: a change elsewhere must not restart it.
PARTS = {"ingest": ("events", "ingest")}


def package() -> dict[str, str]:
    """The path and the digest of the zip, and the digest of what each part runs."""
    files = sources()
    archive = cached("package", "streambed", _inputs(files), lambda e: _build(e.path))
    return {
        "archive": str(archive / "streambed.zip"),
        "digest": digest(_inputs(files)),
        **{name: digest(_inputs(_part(files, folders))) for name, folders in PARTS.items()},
    }


def _build(directory: Path) -> None:
    build_package(directory / "streambed.zip")


def _part(files: list[Path], folders: tuple[str, ...]) -> list[Path]:
    return [file for file in files if file.relative_to(JOBS).parts[1] in (*folders, file.name)]


def _inputs(files: list[Path]) -> list[str | Path]:
    """Names and contents."""
    return [part for file in files for part in (str(file.relative_to(JOBS)), file)]
