"""Bring a stage to what its file says: set up, provision, configure, verify, and tell."""

from __future__ import annotations

from infra import context, operation, playbook, ssh, table
from infra.commands.verify import run_tests
from infra.events import Watch
from infra.lab import overlay, preflight, sweep
from infra.lab.names import Lab
from infra.phases import Phases
from infra.setup.prepare import Prepared, prepare
from infra.stacks import Stacks
from infra.stage import Stage
from infra.topology import Topology


def deploy(stage: Stage) -> None:
    state = context.state(stage.name)
    preflight.check(stage, Lab(state))
    with operation.on_stage(state, f"deploy STAGE={stage.name}"):
        deploy_locked(stage, Phases())


def deploy_locked(stage: Stage, phases: Phases) -> None:
    """For whoever holds the stage already (`recreate`)."""
    state = context.state(stage.name)
    sweep.register(Lab(state))
    with phases.phase("set up", "Pulumi, bundle and image") as phase:
        prepared = prepare(phase.note)
        phase.result = "ready"
    stacks = Stacks(stage)
    changes = 0
    for layer, what in (("foundation", "network, volumes and keys"), ("cluster", "hosts")):
        config = {"image": prepared.image, "bundle": prepared.bundle} if layer == "cluster" else {}
        with phases.phase(layer, what) as phase:
            watch = Watch(phase.progress)
            stacks.up(layer, watch, **{key: str(value) for key, value in config.items()})
            changes += watch.changes
            phase.result = watch.summary()
    topology = _standing(stacks)
    _tell_of_older_images(topology, Lab(state), prepared)
    with phases.phase("configure", f"{len(topology.hosts)} hosts with Ansible") as phase:
        outcome = playbook.run(
            "site", stage=stage.name, log=state / "logs" / "site.log", progress=phase.progress
        )
        changes += outcome.changes
        phase.result = outcome.summary()
    with phases.phase("verify", "every role on every host") as phase:
        phase.result = run_tests(stage, phase.progress, with_spark_job=changes > 0)
    table.what_runs_where(topology)
    table.addresses(topology)
    if not changes:
        print(
            "The stage was up already: nothing changed, nothing was restarted. "
            "(`make verify` runs a Spark job, too.)"
        )
    print(phases.total())


def _standing(stacks: Stacks) -> Topology:
    topology = stacks.topology()
    assert topology, "a cluster that has just come up has outputs"
    ssh.write_configuration(topology, stacks.state)
    return topology


def _tell_of_older_images(topology: Topology, lab: Lab, prepared: Prepared) -> None:
    """Hosts keep what they were born with; whoever wants the new must hear that there is one."""
    current = [prepared.bundle, prepared.image]
    older = [host.name for host in topology.hosts if overlay.layers(lab.host(host.name)) != current]
    if older:
        print(f"  {', '.join(older)} run an older image or bundle: `make recreate` renews them.")
