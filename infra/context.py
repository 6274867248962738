"""Which stage is worked on, and where it is kept.

The stage is named by the environment (`make … STAGE=local`), its state lies outside the repo:
one directory per stage and clone, so that two clones on one machine never share a stage.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from infra import stage as stages
from infra.stage import Stage

REPO = Path(__file__).resolve().parent.parent


def stage_name() -> str:
    return os.environ.get("STAGE") or "local"


def stage() -> Stage:
    return stages.load(stage_name())


def states() -> Path:
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "streambed"


def state(name: str | None = None) -> Path:
    clone = hashlib.sha256(str(REPO).encode()).hexdigest()[:4]
    return states() / f"{name or stage_name()}-{clone}"
