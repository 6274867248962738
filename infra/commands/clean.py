"""Give back what nobody needs: remains of labs whose clone is gone, and unused cache entries."""

from __future__ import annotations

import shutil

from infra import context
from infra.lab import sweep
from infra.lab.names import Lab
from infra.stage import Stage


def clean(_stage: Stage) -> None:
    for state in sorted(context.states().glob("*/")):
        lab = Lab(state)
        if sweep.owner(lab) is None:
            sweep.sweep(lab)
            shutil.rmtree(state)
            print(f"Removed the stage {lab.id}, whose clone is gone.")
