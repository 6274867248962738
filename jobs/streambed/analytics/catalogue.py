"""Finds jobs: the bundled ones by name, anybody's by file; and tells what is wrong with them."""

import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from streambed.analytics import job as kinds
from streambed.analytics.job import LATE_TOPIC, Copy, Job, OrderedJob, SqlJob, WindowJob
from streambed.analytics.views import VIEWS
from streambed.options import OptionError, construct

FOLDER = Path(__file__).parent / "jobs"
KINDS = (WindowJob, OrderedJob, SqlJob, Copy)


def bundled() -> list[str]:
    """Names of the jobs that come with Streambed."""
    files = FOLDER.glob("*.py")
    return sorted(_name(file) for file in files if file.stem != "__init__")


def file_of(name: str) -> Path:
    """The file of a bundled job."""
    path = FOLDER / f"{name.replace('-', '_')}.py"
    if not path.is_file():
        raise OptionError(
            f"name: {name!r} is no job of Streambed's ({', '.join(bundled())}); for a job of your"
            " own add `file`, the path of its Python file."
        )
    return path


def load(path: Path) -> type[Job]:
    """The job in a file: the one class there that is a job.

    The module has a name of its own for every file, and Spark is told to send its code along: so a
    job can be changed while others run, and its file need not be on the machines that execute it.
    """
    name = f"streambed_job_{path.stem.replace('-', '_').replace('.', '_')}"
    try:
        source = path.read_text()
    except OSError as error:
        raise OptionError(f"file: {path} cannot be read: {error.strerror}.") from error
    spec = importlib.util.spec_from_loader(name, loader=None, origin=str(path))
    assert spec
    module = importlib.util.module_from_spec(spec)
    module.__file__ = str(path)
    sys.modules[name] = module  # dataclasses and pickle look their module up
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)
    except Exception as error:
        raise OptionError(f"file: {path} is no job: {type(error).__name__}: {error}.") from error
    return _only_job(module, path)


def make(name: str, file: Path | None, options: Mapping[str, Any]) -> Job:
    """A job with its options, or an OptionError that says what is wrong."""
    kind = load(file or file_of(name))
    if kind.name != name:
        raise OptionError(f"name: {file} holds the job {kind.name!r}; found {name!r}.")
    return construct(kind, options, where="options")


def complaint(
    *,
    name: str,
    file: Path | str | None = None,
    options: Mapping[str, Any] | None = None,
    trigger: str | None = None,
    guarantee: str | None = None,
) -> str | None:
    """What is wrong with an entry of a stage file, as a sentence."""
    try:
        job = make(name, None if file is None else Path(file), options or {})
    except OptionError as error:
        return str(error)
    return kinds.complaint(job, trigger=trigger, guarantee=guarantee)


def topics(*, name: str, file: Path | str | None = None) -> tuple[set[str], set[str]]:
    """The topics that a job reads and those that it writes."""
    try:
        kind = load(Path(file) if file else file_of(name))
    except OptionError:
        return set(), set()  # that it is wrong is told by another rule
    late = {LATE_TOPIC} if issubclass(kind, WindowJob | OrderedJob) else set()
    return {kind.input}, {f"analytics.{kind.name}", *late}


def _name(file: Path) -> str:
    return file.stem.replace("_", "-")


def _only_job(module: ModuleType, path: Path) -> type[Job]:
    found = [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type)
        and issubclass(thing, Job)
        and thing.__module__ == module.__name__
    ]
    if len(found) != 1:
        names = ", ".join(one.__name__ for one in found) or "none"
        raise OptionError(f"file: {path} must hold exactly one job, a class; found {names}.")
    (job,) = found
    _check_declaration(job, path)
    return job


def _check_declaration(job: type[Job], path: Path) -> None:
    where = f"file: {path}: {job.__name__}"
    if not isinstance(getattr(job, "name", None), str):
        raise OptionError(f"{where}: name: is missing; say what the job is called.")
    if job.input not in VIEWS:
        raise OptionError(
            f"{where}: input: must be one of {', '.join(VIEWS)}; found {job.input!r}."
        )
    if issubclass(job, WindowJob) and not job.values:
        raise OptionError(f"{where}: values: is missing; say what each record gives to a window.")
    if issubclass(job, WindowJob) and not job.sql and job.query is WindowJob.query:
        raise OptionError(f"{where}: sql: is missing; write it, or a method query(rows).")
