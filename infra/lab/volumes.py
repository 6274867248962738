"""Data volumes: sparse files that outlive hosts, attached to them as loop devices."""

from __future__ import annotations

import json
from pathlib import Path

from infra.lab.command import LabError, run


def make(file: Path, gib: int) -> None:
    """A blank volume, or the one that is there, grown if it is to be larger. Never shrunk and
    never emptied: what is on it is somebody's data."""
    file.parent.mkdir(parents=True, exist_ok=True)
    size = gib << 30
    if file.exists() and file.stat().st_size > size:
        raise LabError(
            f"The volume {file.name} has {file.stat().st_size >> 30} GiB and cannot shrink to "
            f"{gib}: set data_gib back, or purge the stage."
        )
    with file.open("ab") as volume:
        volume.truncate(size)


def remove(file: Path) -> None:
    detach(file)
    file.unlink(missing_ok=True)


def attach(file: Path) -> str:
    """The loop device of the volume: the one it has, or a new one."""
    devices = attached(file)
    return devices[0] if devices else run("losetup", "--find", "--show", file).strip()


def detach(file: Path) -> None:
    for device in attached(file):
        run("losetup", "--detach", device)


def attached(file: Path) -> list[str]:
    return [device for device, backing in loops() if backing == file]


def loops() -> list[tuple[str, Path]]:
    """Every loop device of the machine with the file behind it."""
    listed = run("losetup", "--list", "--json", "--output", "NAME,BACK-FILE").strip()
    devices = json.loads(listed)["loopdevices"] if listed else []
    return [
        (loop["name"], Path((loop["back-file"] or "").removesuffix(" (deleted)")))
        for loop in devices
    ]
