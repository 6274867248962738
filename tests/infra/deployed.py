"""The deployed stage under test, and where testinfra finds its hosts."""

from functools import cache

from infra import context, ssh
from infra.stacks import Stacks
from infra.stage import Stage
from infra.topology import Host, Topology

UNITS = {
    "kafka": "kafka",
    "zookeeper": "zookeeper",
    "spark_master": "spark-master",
    "spark_worker": "spark-worker",
    "object_store": "object-store",
}


@cache
def stage() -> Stage:
    return context.stage()


@cache
def topology() -> Topology:
    found = Stacks(stage()).topology()
    assert found, f"{stage().name} is not deployed: run `make deploy STAGE={stage().name}`"
    ssh.write_configuration(found, context.state(stage().name))
    return found


def with_role(role: str) -> list[Host]:
    return topology().with_role(role)


def targets(role: str | None = None) -> list[str]:
    """For a module's `testinfra_hosts`: every host, or every host with a role."""
    config = context.state(stage().name) / "ssh" / "config"
    hosts = with_role(role) if role else topology().hosts
    # paramiko keeps one connection per host: four times as fast as a new ssh for every check.
    return [f"paramiko://{host.name}?ssh_config={config}" for host in hosts]
