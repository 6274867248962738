"""The names of a lab: every directory, device and group it uses is told by its id.

Nothing else on the machine bears these names, so whatever does is provably the lab's own.
"""

from __future__ import annotations

import json
import uuid
import zlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Lab:
    """A lab is known by its state directory, whose name is `<stage>-<mark of the clone>`."""

    state: Path

    @property
    def id(self) -> str:
        return self.state.name

    @property
    def tag(self) -> str:
        """Eight characters for names that the kernel keeps short (interfaces: 15)."""
        return f"{zlib.crc32(str(self.state).encode()):08x}"

    @property
    def bridge(self) -> str:
        return f"sb{self.tag}"

    @property
    def cgroup(self) -> str:
        return f"streambed-{self.id}-{self.tag}"

    @property
    def leases(self) -> Path:
        return self.state / "addresses.json"

    @property
    def known_hosts(self) -> Path:
        return self.state / "ssh" / "known_hosts"

    @property
    def private_key(self) -> Path:
        return self.state / "ssh" / "id_ed25519"

    def network_namespace(self, host: str) -> str:
        return f"sb{self.tag}-{host}"

    def interface(self, host: str) -> str:
        """The bridge's end of a host's cable: `sb`, four marks of the lab, eight of the host."""
        return f"sb{self.tag[:4]}{zlib.crc32(host.encode()):08x}"

    def volume(self, host: str) -> Path:
        return self.state / "volumes" / f"{host}.img"

    def host_key(self, host: str) -> Path:
        return self.state / "host-keys" / host / "ssh_host_ed25519_key"

    def host(self, host: str) -> Path:
        return self.state / "hosts" / host

    def filesystem_uuid(self, host: str, foundation: str) -> str:
        """Told by the foundation's own id: a volume of an earlier foundation does not fit."""
        return str(uuid.uuid5(uuid.UUID(foundation), host))

    def read_leases(self) -> dict[str, object]:
        return json.loads(self.leases.read_text()) if self.leases.exists() else {}
