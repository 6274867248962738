"""Give back what nobody needs: stages whose clone is gone, and cache entries long unused."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from infra import context
from infra.lab import network, overlay, sweep
from infra.lab.names import Lab
from infra.setup import cache
from infra.stage import Stage

UNUSED_DAYS = 7


def clean(_stage: Stage) -> None:
    for state in sorted(context.states().glob("*/")):
        _remove_if_abandoned(Lab(state))
    for entry in sorted(cache.cache_root().glob("*/*/")):
        _remove_if_unused(entry)


def _remove_if_abandoned(lab: Lab) -> None:
    if sweep.owner(lab) is None:
        sweep.sweep(lab)
        network.release(lab)
        shutil.rmtree(lab.state)
        print(f"Removed the stage {lab.id}, whose clone is gone.")


def _remove_if_unused(entry: Path) -> None:
    """Every clone marks what it uses; a running host's image and bundle are layers of its root."""
    days = (time.time() - cache.last_used(entry)) / 86400
    if days > UNUSED_DAYS and not overlay.is_layer(entry):
        with cache.exclusive(entry.parent.name, entry.name):
            cache.wipe(entry)
        print(f"Removed {entry}, unused for {days:.0f} days.")
