"""What a machine must have before a lab is made on it, each told in one sentence."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from infra.lab import cgroups, sweep
from infra.lab.command import LabError
from infra.lab.names import Lab
from infra.stage import Stage

# Programs that the lab runs and the Debian package that brings each.
PROGRAMS = {
    "ip": "iproute2",
    "losetup": "mount",
    "mount": "mount",
    "ssh-keygen": "openssh-client",
    "systemd-nspawn": "systemd-container",
}

# What this machine needs for itself and for the control programs beside the hosts.
SPARE_MIB = 1024
# An image layer, a bundle layer and what the hosts write: volumes are sparse and grow with use.
DISK_GIB = 6


def check(stage: Stage, lab: Lab) -> None:
    if os.geteuid() != 0:
        raise LabError("A lab needs root (network namespaces, mounts): run the command with sudo.")
    for program, package in PROGRAMS.items():
        if not shutil.which(program):
            raise LabError(f"{program} is missing: install it with `apt-get install {package}`.")
    if not any(tree.unified for tree in cgroups.trees()):
        raise LabError("No cgroup2 tree is mounted: mount one at /sys/fs/cgroup/unified.")
    if not cgroups.processes(lab.cgroup):
        _memory_fits(stage, lab)
        _disk_fits(lab)


def _memory_fits(stage: Stage, lab: Lab) -> None:
    neighbours = {other: _reserved_mib(other) for other in sweep.others(lab)}
    growth = sum(max(0, most - used) for most, used in neighbours.values())
    free = available_mib() - growth
    if free >= stage.memory_mib + SPARE_MIB:
        return
    beside = "".join(
        f" The lab {other.id} of {sweep.owner(other) or 'a clone that is gone'} holds up to "
        f"{most} MiB: {_how_to_end(other)}."
        for other, (most, _) in neighbours.items()
    )
    raise LabError(
        f"The stage {stage.name} needs {stage.memory_mib} MiB for its hosts and {SPARE_MIB} MiB "
        f"beside them, and this machine has {max(free, 0)} MiB to give: lower memory_mib or count "
        f"in the stage file, or free memory.{beside}"
    )


def _disk_fits(lab: Lab) -> None:
    free = shutil.disk_usage(_existing(lab.state)).free >> 30
    if free < DISK_GIB:
        raise LabError(
            f"{lab.state} is on a disk with {free} GiB free and a lab needs {DISK_GIB}: free some, "
            "or set XDG_STATE_HOME to a larger disk."
        )


def available_mib() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) >> 10
    raise LabError("/proc/meminfo has no MemAvailable line: is this Linux?")


def _reserved_mib(lab: Lab) -> tuple[int, int]:
    """The most that a lab's hosts may take, and what they take now."""
    hosts = cgroups.children(lab.cgroup)
    return (
        sum(cgroups.memory_limit(f"{lab.cgroup}/{host}") for host in hosts) >> 20,
        sum(cgroups.memory_of(f"{lab.cgroup}/{host}") for host in hosts) >> 20,
    )


def _how_to_end(lab: Lab) -> str:
    clone = sweep.owner(lab)
    stage = lab.id.rpartition("-")[0]
    return f"`make -C {clone} destroy STAGE={stage}`" if clone else "`make clean` removes it"


def _existing(path: Path) -> Path:
    return path if path.exists() else _existing(path.parent)
