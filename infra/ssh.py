"""How to reach the hosts of a stage: an ssh configuration that pins every host's key."""

from __future__ import annotations

from pathlib import Path

from infra.topology import Host, Topology


def configuration(topology: Topology) -> str:
    """For `ssh -F`: `ssh kafka-1` works, and only with the host it should be."""
    blocks = [
        _block(
            host.name,
            HostName=host.address,
            User=topology.ssh.user,
            IdentityFile=topology.ssh.private_key,
            IdentitiesOnly="yes",
            LogLevel="ERROR",
            **_pinned(topology, host),
        )
        for host in topology.hosts
    ]
    return "\n".join(blocks)


def arguments(topology: Topology, host: Host) -> str:
    """The same pins for Ansible, which brings address, user and key itself."""
    return " ".join(f"-o {key}={value}" for key, value in _pinned(topology, host).items())


def write_configuration(topology: Topology, state: Path) -> Path:
    file = state / "ssh" / "config"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(configuration(topology))
    return file


def _pinned(topology: Topology, host: Host) -> dict[str, object]:
    return {
        "HostKeyAlias": host.name,
        "UserKnownHostsFile": topology.ssh.known_hosts,
        "StrictHostKeyChecking": "yes",
    }


def _block(name: str, **options: object) -> str:
    lines = [f"  {key} {value}" for key, value in options.items()]
    return "\n".join([f"Host {name}", *lines, ""])
