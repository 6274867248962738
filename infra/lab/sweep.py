"""Find and remove whatever a lab has left on the machine, known to its stack or not.

A command that was killed half-way may have made things that no state file tells of. Everything a
lab makes bears its name or lies below its directory, so it can be found again without one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from infra.lab import bridge, cgroups, machine, namespaces, overlay, volumes
from infra.lab.names import Lab

# Every lab with hosts on this machine, wherever its state is kept: a link per lab. It lives and
# dies with the hosts themselves when the machine restarts.
REGISTER = Path("/run/streambed")


def register(lab: Lab) -> None:
    REGISTER.mkdir(exist_ok=True)
    link = REGISTER / lab.tag
    link.unlink(missing_ok=True)
    link.symlink_to(lab.state)


def remains(lab: Lab) -> dict[str, list[str]]:
    """What is there, by kind; all lists are empty after a clean destroy."""
    found = {
        "processes": [str(pid) for pid in sorted(cgroups.processes(lab.cgroup))],
        "mounts": [str(point) for point in overlay.mounts_below(lab.state)],
        "loop devices": [dev for dev, file in volumes.loops() if file.is_relative_to(lab.state)],
        "network namespaces": namespaces.of_lab(lab),
        "bridges": [lab.bridge] if bridge.exists(lab) else [],
        "control groups": [
            str(tree.root / lab.cgroup)
            for tree in cgroups.trees()
            if (tree.root / lab.cgroup).is_dir()
        ],
    }
    return {kind: things for kind, things in found.items() if things}


def sweep(lab: Lab) -> None:
    cgroups.kill(lab.cgroup)
    for host in _hosts(lab):
        machine.stop(lab, host)
    bridge.remove(lab)
    cgroups.remove(lab.cgroup)
    (REGISTER / lab.tag).unlink(missing_ok=True)


def _hosts(lab: Lab) -> Iterator[str]:
    """Every host of which anything is left."""
    hosts = set(namespaces.of_lab(lab))
    hosts |= {path.name for path in (lab.state / "hosts").glob("*")}
    hosts |= {file.stem for _, file in volumes.loops() if file.is_relative_to(lab.state)}
    for tree in cgroups.trees():
        hosts |= {path.name for path in (tree.root / lab.cgroup).glob("*/")}
    yield from sorted(hosts)


def others(lab: Lab) -> list[Lab]:
    """Labs of other clones or stages that run beside this one."""
    registered = [Lab(link.readlink()) for link in REGISTER.glob("*")]
    return [other for other in registered if other != lab and cgroups.processes(other.cgroup)]


def owner(lab: Lab) -> Path | None:
    """The clone a lab belongs to, or None if that clone is gone."""
    file = lab.state / "clone"
    clone = Path(file.read_text().strip()) if file.exists() else None
    return clone if clone and clone.is_dir() else None
