"""A host's root: its own thin layer over the shared image and bundle."""

from __future__ import annotations

import shutil
from pathlib import Path

from infra.lab.command import run


def make(folder: Path, *, lower: list[Path]) -> Path:
    """Mount a fresh root over the lower layers and return where it is."""
    remove(folder)
    root, upper, work = (folder / name for name in ("root", "upper", "work"))
    for directory in (root, upper, work):
        directory.mkdir(parents=True)
    layers = ":".join(str(path) for path in lower)
    options = f"lowerdir={layers},upperdir={upper},workdir={work}"
    run("mount", "-t", "overlay", "-o", options, "overlay", root)
    return root


def remove(folder: Path) -> None:
    unmount_below(folder)
    if folder.exists():
        shutil.rmtree(folder)


def unmount_below(folder: Path) -> None:
    for point in mounts_below(folder):
        run("umount", "--lazy", point)


def mounts_below(folder: Path) -> list[Path]:
    """Mount points at or below a folder, the innermost first."""
    points = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        point = Path(line.split(" ")[4].encode().decode("unicode_escape"))
        if point.is_relative_to(folder):
            points.append(point)
    return points[::-1]


def layers(folder: Path) -> list[Path]:
    """What the root of a host is laid over, as it was mounted."""
    return _lower().get(folder / "root", [])


def is_layer(folder: Path) -> bool:
    """Whether a mounted root has a layer at or below the folder."""
    return any(layer.is_relative_to(folder) for lower in _lower().values() for layer in lower)


def _lower() -> dict[Path, list[Path]]:
    """The lower layers of every overlay of the machine, by where it is mounted."""
    found = {}
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, point, kind, options, *_ = line.split(" ")
        if kind == "overlay":
            named = dict(option.partition("=")[::2] for option in options.split(","))
            found[Path(point)] = [Path(layer) for layer in named["lowerdir"].split(":")]
    return found
