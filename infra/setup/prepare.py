"""Everything that provisioning needs, built where it is missing: tools, bundle and image."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, Timer

from infra.setup.bundle import bundle
from infra.setup.image import image
from infra.setup.run import allow_all
from infra.setup.side_by_side import side_by_side
from infra.setup.tools import pulumi_bin

# What is in the cache is found faster than this, and only what is not is worth announcing.
ANNOUNCE_AFTER_S = 0.5


@dataclass(frozen=True)
class Prepared:
    pulumi_bin: Path  # directory with pulumi and its Python language host, to be put on PATH
    bundle: Path  # tree to lay under the hosts' root: opt/streambed/...
    image: Path  # root file system that hosts boot from


def prepare(say: Callable[[str], None] = print) -> Prepared:
    """Build what is missing, side by side, saying what is being done and how long it took."""
    os.umask(0o022)  # service users read what root builds
    say = _one_at_a_time(say)
    try:
        return Prepared(
            **side_by_side(
                pulumi_bin=_timed("Pulumi CLI", pulumi_bin, say),
                bundle=_timed("bundle (Kafka, ZooKeeper, Spark, Python)", bundle, say),
                image=_timed("host image", image, say),
            )
        )
    finally:
        allow_all()


def _one_at_a_time(say: Callable[[str], None]) -> Callable[[str], None]:
    lock = Lock()

    def say_alone(line: str) -> None:
        with lock:
            say(line)

    return say_alone


def _timed(name: str, task: Callable[[], Path], say: Callable[[str], None]) -> Callable[[], Path]:
    def work() -> Path:
        start = time.monotonic()
        announcement = Timer(ANNOUNCE_AFTER_S, say, [f"{name}: building"])
        announcement.daemon = True
        announcement.start()
        try:
            result = task()
        finally:
            announcement.cancel()
        say(f"{name}: ready after {time.monotonic() - start:.1f} s")
        return result

    return work
