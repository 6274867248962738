"""The deployed stage under test, and where testinfra finds its hosts."""

import os
from functools import cache

import pinned_ssh

from infra import context
from infra.stacks import Stacks
from infra.stage import Stage
from infra.topology import Host, Topology

ANSWER = "STREAMBED_TOPOLOGY"


@cache
def stage() -> Stage:
    return context.stage()


@cache
def topology() -> Topology:
    """Asked of the stacks once; the workers of a parallel run inherit the answer."""
    if ANSWER not in os.environ:
        found = Stacks(stage()).topology()
        assert found, f"{stage().name} is not deployed: run `make deploy STAGE={stage().name}`"
        os.environ[ANSWER] = found.model_dump_json()
    found = Topology.model_validate_json(os.environ[ANSWER])
    pinned_ssh.register(found)
    return found


def units(role: str) -> list[str]:
    """The units that a role runs: one, or one for each ingestion or application of the stage."""
    if role == "ingest":
        return [f"ingest-{entry.name}" for entry in stage().ingest]
    if role == "job":
        return [f"job-{application}" for application in stage().applications()]
    return [role.replace("_", "-")]


def with_role(role: str) -> list[Host]:
    return topology().with_role(role)


def targets(role: str | None = None) -> list[str]:
    """For a module's `testinfra_hosts`: every host, or every host with a role."""
    return [f"pinned://{host.name}" for host in (with_role(role) if role else topology().hosts)]
