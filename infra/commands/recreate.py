"""Throw the cluster away and build it anew; the foundation and all data stay."""

from __future__ import annotations

from infra import context, operation
from infra.commands.deploy import deploy_locked
from infra.commands.destroy import check_allowed, destroy_cluster
from infra.lab import preflight
from infra.lab.names import Lab
from infra.phases import Phases
from infra.stage import Stage


def recreate(stage: Stage) -> None:
    check_allowed(stage, "cluster")
    state = context.state(stage.name)
    preflight.check(stage, Lab(state))
    with operation.on_stage(state, f"recreate STAGE={stage.name}"):
        phases = Phases()
        if (state / "pulumi").exists():
            destroy_cluster(stage, phases)
        deploy_locked(stage, phases)
