"""testinfra's paramiko backend with host key checking on: unknown or changed keys are refused.

paramiko keeps one connection per host, several times as fast as a new ssh for every check, but
the backend that comes with testinfra only warns about keys it does not know.
"""

import functools

import paramiko
import testinfra.backend
from testinfra.backend.paramiko import ParamikoBackend

from infra.topology import Topology


class PinnedSshBackend(ParamikoBackend):
    NAME = "pinned"
    topology: Topology

    @functools.cached_property
    def client(self) -> paramiko.SSHClient:
        ssh, host = self.topology.ssh, self.topology.host(self.host.name)
        client = paramiko.SSHClient()
        client.load_host_keys(str(ssh.known_hosts))
        client.set_missing_host_key_policy(paramiko.RejectPolicy())
        client.connect(host.address, username=ssh.user, key_filename=str(ssh.private_key))
        return client


def register(topology: Topology) -> None:
    PinnedSshBackend.topology = topology
    testinfra.backend.BACKENDS["pinned"] = f"{__name__}.{PinnedSshBackend.__name__}"
