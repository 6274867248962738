"""Tell what `make deploy` would do, without doing it."""

from __future__ import annotations

from infra import context, operation, playbook
from infra.events import Watch
from infra.phases import Phases
from infra.stacks import Stacks
from infra.stage import Stage


def plan(stage: Stage) -> None:
    state = context.state(stage.name)
    with operation.on_stage(state, f"plan STAGE={stage.name}"):
        phases = Phases()
        stacks = Stacks(stage)
        if not _previewed(stacks, "foundation", phases):
            print("The foundation does not stand yet: `make deploy` makes it, then the cluster.")
            return
        _previewed(stacks, "cluster", phases)
        if stacks.topology() is None:
            print("The hosts do not stand yet: `make deploy` makes and configures them.")
            return
        with phases.phase("configuration", "what Ansible would change") as phase:
            outcome = playbook.run(
                "site",
                stage=stage.name,
                log=state / "logs" / "plan.log",
                progress=phase.progress,
                options=("--check", "--diff"),
            )
            phase.result = f"{outcome.summary()}; differences in {state / 'logs' / 'plan.log'}"


def _previewed(stacks: Stacks, layer: str, phases: Phases) -> bool:
    """Show a layer's plan; whether the layer stands at all."""
    with phases.phase(layer, "what Pulumi would change") as phase:
        watch = Watch(phase.progress)
        stacks.preview(layer, watch)
        phase.result = "\n  ".join([watch.summary(), *watch.plan()])
    return bool(stacks.layer(layer).outputs())
