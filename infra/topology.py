"""What a deployed stage looks like: the outputs of its stacks, the input of its inventory.

Every provider gives exactly this, so that playbooks, jobs and tests cannot tell a laptop from AWS.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from infra.stage import Role


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DataVolume(_Model):
    """A device to find and a filesystem to expect on it. The filesystem's id is given by the
    foundation before the volume is ever formatted, so a volume of somebody else's never fits."""

    device: str
    uuid: str


class Host(_Model):
    name: str
    group: str
    number: int
    roles: tuple[Role, ...]
    address: str
    zone: str
    memory_mib: int
    cores: int
    data: DataVolume | None


class Bucket(_Model):
    """Where checkpoints, artefacts and recordings are. On AWS there is no endpoint to name and no
    key to hand out: the hosts' own role opens it."""

    name: str
    region: str
    endpoint: str | None = None
    access_key: str | None = None
    secret_key: str | None = None


class Ssh(_Model):
    user: str
    private_key: Path
    known_hosts: Path


class Topology(_Model):
    stage: str
    cluster_id: str
    hosts: tuple[Host, ...]
    bucket: Bucket | None
    ssh: Ssh

    def host(self, name: str) -> Host | None:
        return next((host for host in self.hosts if host.name == name), None)

    @property
    def kafka_bootstrap(self) -> str:
        return ",".join(f"{host.address}:9092" for host in self.with_role("kafka"))

    def with_role(self, role: Role) -> list[Host]:
        return [host for host in self.hosts if role in host.roles]
