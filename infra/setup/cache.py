"""A cache of expensive results, named by what they are made from and shared by all clones.

An entry is `<cache>/<kind>/<name>-<hash of its inputs>`. It is built where it stays, because
virtual environments cannot be moved; a marker written last tells a finished entry from the
remains of an interrupted build, which the next builder wipes. Standard library only: this
runs before the virtual environment exists.
"""

import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.setup import run as programs
from infra.setup.errors import SetupError

__all__ = [
    *("Entry", "SetupError", "cache_root", "cached", "digest", "entry_path", "exclusive"),
    *("is_cached", "wipe"),
]

MARKER = ".complete"


def cache_root() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "streambed"


@dataclass(frozen=True)
class Entry:
    """The directory being filled, as its `build` function sees it."""

    path: Path
    lock: int | None = None

    @property
    def log(self) -> Path:
        return self.path.with_name(self.path.name + ".log")

    def run(
        self,
        command: Sequence[str | Path],
        *,
        what: str,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        """Run a command whose output goes to the entry's log.

        It inherits the lock: should the builder be killed outright, the entry stays locked
        until the last of its programs is gone, and nobody wipes what still is written to.
        """
        programs.run(
            command,
            log=self.log,
            what=what,
            cwd=cwd,
            env=env,
            keep_open=[] if self.lock is None else [self.lock],
        )


def cached(
    kind: str, name: str, inputs: Iterable[str | Path], build: Callable[[Entry], None]
) -> Path:
    """Return the entry made from `inputs`, calling `build` if it is not there yet."""
    path = entry_path(kind, name, inputs)
    if _is_complete(path):
        (path / MARKER).touch()
        return path
    with exclusive(kind, path.name) as lock:
        if _is_complete(path):  # another builder finished it while this one waited
            return path
        wipe(path)
        path.mkdir()
        entry = Entry(path, lock)
        entry.log.unlink(missing_ok=True)
        build(entry)
        (path / MARKER).touch()
    return path


def entry_path(kind: str, name: str, inputs: Iterable[str | Path]) -> Path:
    return cache_root() / kind / f"{name}-{digest(inputs)}"


def is_cached(kind: str, name: str, inputs: Iterable[str | Path]) -> bool:
    return _is_complete(entry_path(kind, name, inputs))


def last_used(entry: Path) -> float:
    """When an entry was last asked for; a marker is touched each time."""
    marker = entry / MARKER
    return (marker if marker.exists() else entry).stat().st_mtime


@contextmanager
def exclusive(kind: str, name: str) -> Iterator[int]:
    """Hold `<cache>/<kind>/<name>.lock` among all builders, in this process and in others."""
    path = cache_root() / kind / f"{name}.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print(f"Waiting for another build of {name} to finish.", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield lock
    finally:
        os.close(lock)


def digest(inputs: Iterable[str | Path]) -> str:
    """Twelve hex digits over words and over the names and contents of files and directories."""
    total = hashlib.sha256()
    for item in inputs:
        for name, content in _contents(item):
            total.update(f"{name}\0{len(content)}\0".encode() + content)
    return total.hexdigest()[:12]


def wipe(path: Path) -> None:
    """Remove a directory tree, unless something is mounted in it: that could be anyone's data."""
    mounted = [point for point in _mount_points() if point.is_relative_to(path.resolve())]
    if mounted:
        raise SetupError(
            f"{path} is in the way of a new build but {mounted[0]} is mounted in it:"
            f" unmount it (umount {mounted[0]}) and run the same command again."
        )
    (path / MARKER).unlink(missing_ok=True)  # first, lest half an entry pass for a whole one
    shutil.rmtree(path, ignore_errors=True)
    if path.exists():
        raise SetupError(f"{path} cannot be removed: remove it by hand and run again.")


def _is_complete(path: Path) -> bool:
    return (path / MARKER).exists()


def _contents(item: str | Path) -> Iterator[tuple[str, bytes]]:
    if isinstance(item, str):
        yield "", item.encode()
    elif item.is_dir():
        files = (path for path in item.rglob("*") if path.is_file())
        for path in sorted(path for path in files if "__pycache__" not in path.parts):
            yield f"{item.name}/{path.relative_to(item)}", path.read_bytes()
    else:
        yield item.name, item.read_bytes()


def _mount_points() -> list[Path]:
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return [Path(os.fsdecode(line.split()[4].encode().decode("unicode_escape"))) for line in lines]
