"""Control groups: how a host is limited, found, and ended as if its plug were pulled.

Works where all controllers are in the unified tree and where some are still in trees of their
own: a host gets a group of the same name in every tree that is mounted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from infra.lab.command import LabError


@dataclass(frozen=True)
class Tree:
    root: Path
    unified: bool
    controllers: frozenset[str]


def trees() -> list[Tree]:
    """The trees in the order of the mount table; the unified one is the one that can kill."""
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        mount, _, kind = line.partition(" - ")
        kind, _, options = kind.split(" ", 2)
        root = Path(mount.split(" ")[4])
        if kind == "cgroup2":
            controllers = (root / "cgroup.controllers").read_text().split()
            found.append(Tree(root, True, frozenset(controllers)))
        elif kind == "cgroup":
            found.append(Tree(root, False, frozenset(options.split(","))))
    return found


def make(name: str, *, memory_mib: int | None = None) -> None:
    for tree in trees():
        group = tree.root
        for part in Path(name).parts:
            if tree.unified:
                _delegate(group, tree)
            group = group / part
            group.mkdir(exist_ok=True)
            if "cpuset" in tree.controllers and not tree.unified:
                _inherit_cpuset(group)
        if memory_mib and "memory" in tree.controllers:
            limit = group / ("memory.max" if tree.unified else "memory.limit_in_bytes")
            limit.write_text(str(memory_mib << 20))


def enter(name: str) -> None:
    """Move this process into the group, in every tree."""
    for tree in trees():
        (tree.root / name / "cgroup.procs").write_text(str(os.getpid()))


def processes(name: str) -> set[int]:
    """Everything that runs in the group or below it."""
    found: set[int] = set()
    for tree in trees():
        # Not a glob, which fails when a group below it goes away while it looks.
        for group, _, _ in os.walk(tree.root / name):
            try:
                found.update(map(int, (Path(group) / "cgroup.procs").read_text().split()))
            except OSError:  # the group itself went away
                continue
    return found


def kill(name: str, *, seconds: float = 10) -> None:
    """End everything in the group at once, however deep, and wait until it is gone."""
    group = _unified(name)
    if not group.is_dir():
        return
    (group / "cgroup.kill").write_text("1")
    deadline = time.monotonic() + seconds
    while processes(name):
        if time.monotonic() > deadline:
            raise LabError(f"Processes {sorted(processes(name))} of {name} survive being killed.")
        time.sleep(0.02)


@contextmanager
def visit(name: str) -> Iterator[None]:
    """Be in a group of this name, in the unified tree alone: nothing is limited by it, but all
    that is started meanwhile can be found, and is ended when the visit is over."""
    kill(name)
    group, home = _unified(name), _unified(_own_place())
    group.mkdir(exist_ok=True)
    (group / "cgroup.procs").write_text(str(os.getpid()))
    try:
        yield
    finally:
        (home / "cgroup.procs").write_text(str(os.getpid()))
        kill(name)
        remove(name)


def remove(name: str) -> None:
    for tree in trees():
        top = tree.root / name
        if not top.is_dir():
            continue
        for group in sorted(top.glob("**/"), key=lambda path: -len(path.parts)):
            _rmdir(group)


def children(name: str) -> list[str]:
    return sorted(path.name for path in _unified(name).glob("*/"))


def memory_of(name: str) -> int:
    """Bytes that the group holds, page cache included."""
    return _memory(name, "memory.current", "memory.usage_in_bytes")


def memory_limit(name: str) -> int:
    """Bytes that the group may hold."""
    return _memory(name, "memory.max", "memory.limit_in_bytes")


def _memory(name: str, unified: str, own_tree: str) -> int:
    tree = next((tree for tree in trees() if "memory" in tree.controllers), None)
    file = tree and tree.root / name / (unified if tree.unified else own_tree)
    return int(file.read_text()) if file and file.exists() else 0


def _unified(name: str) -> Path:
    tree = next((tree for tree in trees() if tree.unified), None)
    if tree is None:
        raise LabError("No cgroup2 tree is mounted; mount one at /sys/fs/cgroup/unified.")
    return tree.root / name


def _own_place() -> str:
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    return next(line for line in lines if line.startswith("0::")).removeprefix("0::/")


def _delegate(group: Path, tree: Tree) -> None:
    wanted = tree.controllers & {"cpu", "memory", "pids"}
    if wanted:
        (group / "cgroup.subtree_control").write_text(" ".join(f"+{c}" for c in sorted(wanted)))


def _inherit_cpuset(group: Path) -> None:
    # A cpuset group of the old kind starts with no processor and no memory, and takes nobody in.
    for file in ("cpuset.cpus", "cpuset.mems"):
        if not (group / file).read_text().strip():
            (group / file).write_text((group.parent / file).read_text())


def _rmdir(group: Path, *, seconds: float = 5) -> None:
    # A group whose last process has just died stays busy for a moment.
    deadline = time.monotonic() + seconds
    while group.is_dir():
        try:
            group.rmdir()
        except OSError:
            if time.monotonic() > deadline:
                raise LabError(
                    f"The control group {group} cannot be removed: still busy."
                ) from None
            time.sleep(0.02)
