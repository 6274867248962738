"""Take a stage down: its cluster, keeping the data (destroy), or all of it (purge)."""

from __future__ import annotations

import os
import shutil

from infra import context, operation
from infra.events import Watch
from infra.lab import sweep
from infra.lab.names import Lab
from infra.phases import Phases
from infra.stacks import Stacks
from infra.stage import Stage


class Refused(Exception):
    """What was asked for is not allowed, and how to allow it."""


def destroy(stage: Stage) -> None:
    check_allowed(stage, "cluster")
    state = context.state(stage.name)
    if not state.exists():
        print(f"The stage {stage.name} has never been deployed from here: nothing to destroy.")
        return
    with operation.on_stage(state, f"destroy STAGE={stage.name}"):
        phases = Phases()
        destroy_cluster(stage, phases)
        _tell_what_is_kept(Lab(state))
        print(phases.total())


def purge(stage: Stage) -> None:
    check_allowed(stage, "foundation")
    confirm = os.environ.get("CONFIRM", "")
    if confirm != stage.name:
        raise Refused(
            f"purge deletes all data of the stage {stage.name} for good: say "
            f"`make purge STAGE={stage.name} CONFIRM={stage.name}` if that is wanted"
            + (f" (CONFIRM was {confirm!r})." if confirm else ".")
        )
    state = context.state(stage.name)
    if not state.exists():
        print(f"The stage {stage.name} has never been deployed from here: nothing to purge.")
        return
    with operation.on_stage(state, f"purge STAGE={stage.name}"):
        phases = Phases()
        destroy_cluster(stage, phases)
        with phases.phase("foundation", "deleting network, volumes and keys") as phase:
            stacks = Stacks(stage)
            stacks.unprotect("foundation")
            watch = Watch(phase.progress)
            stacks.destroy("foundation", watch)
            phase.result = watch.summary()
        shutil.rmtree(state)
        print(phases.total())


def destroy_cluster(stage: Stage, phases: Phases) -> None:
    """The engine deletes what it knows; the sweep finds what a killed command never told it."""
    with phases.phase("cluster", "deleting hosts") as phase:
        watch = Watch(phase.progress)
        Stacks(stage).destroy("cluster", watch)
        sweep.sweep(Lab(context.state(stage.name)))
        phase.result = watch.summary()


def check_allowed(stage: Stage, layer: str) -> None:
    if layer not in stage.may_destroy:
        raise Refused(
            f"The {layer} of the stage {stage.name} may not be destroyed: "
            f"add {layer} to may_destroy in the stage file first."
        )


def _tell_what_is_kept(lab: Lab) -> None:
    volumes = sorted((lab.state / "volumes").glob("*.img"))
    used = sum(file.stat().st_blocks * 512 for file in volumes) >> 20
    print(
        f"Kept: {len(volumes)} data volumes ({used} MiB on disk), keys and addresses, "
        f"in {lab.state}. `make deploy` takes them up again; `make purge CONFIRM=…` deletes them."
    )
