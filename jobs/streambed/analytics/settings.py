"""The configuration of an application, as the role `job` writes it."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from streambed.analytics import catalogue
from streambed.analytics.job import Job, complaint
from streambed.events.codec import WireMode
from streambed.options import OptionError, construct


@dataclass(frozen=True, kw_only=True)
class JobSettings:
    """A job as a stage wants it: all of it is compared to tell whether it has changed."""

    name: str
    file: str
    options: dict = field(default_factory=dict)
    trigger: str | None = None
    guarantee: str | None = None

    def make(self) -> Job:
        """The job, or an OptionError that says what is wrong with it."""
        try:
            job = catalogue.make(self.name, Path(self.file), self.options)
        except OptionError as error:
            raise OptionError(f"jobs.{self.name}: {error}") from error
        if sentence := complaint(job, trigger=self.trigger, guarantee=self.guarantee):
            raise OptionError(f"jobs.{self.name}: {sentence}")
        return job


@dataclass(frozen=True, kw_only=True)
class Settings:
    application: str
    address: str
    metrics_port: int
    bootstrap: str
    zookeeper: str
    bucket: dict
    wire: WireMode = "binary"
    shuffle_partitions: int = 2
    package: str = ""  # which edition of Streambed's own code this is written for
    spark: dict = field(default_factory=dict)
    jobs: list = field(default_factory=list)

    def differs_in_jobs_alone(self, other: "Settings") -> bool:
        """Whether a driver that runs with these could go over to the others."""
        return replace(self, jobs=[]) == replace(other, jobs=[])


def load(path: Path) -> Settings:
    try:
        data = yaml.safe_load(path.read_text())
    except OSError as error:
        raise OptionError(f"{path}: cannot be read: {error.strerror}.") from error
    except yaml.YAMLError as error:
        raise OptionError(f"{path}: not valid YAML: {error}.") from error
    if not isinstance(data, dict):
        raise OptionError(f"{path}: a mapping of keys is needed, found {data!r}.")
    settings = construct(Settings, data, where=str(path))
    return construct(
        Settings, {**data, "jobs": [_job(entry, path) for entry in settings.jobs]}, where=str(path)
    )


def _job(entry: Any, path: Path) -> JobSettings:
    if not isinstance(entry, dict):
        raise OptionError(f"{path}: jobs: each is a mapping with a name, found {entry!r}.")
    return construct(JobSettings, entry, where=f"{path}: jobs.{entry.get('name')}")
