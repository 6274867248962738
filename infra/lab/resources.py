"""The lab's things as Pulumi resources: thin, since the modules beside this one do the work.

Pulumi keeps a reference to these provider classes in its state: a class that is renamed can no
longer delete what it has made.
"""

from __future__ import annotations

import base64
import secrets
import shutil
import uuid
from pathlib import Path
from typing import Any

from pulumi import Input, ResourceOptions
from pulumi.dynamic import (
    CreateResult,
    DiffResult,
    ReadResult,
    Resource,
    ResourceProvider,
    UpdateResult,
)

from infra.lab import bridge, keys, machine, network, volumes
from infra.lab.machine import Machine
from infra.lab.names import Lab

Props = dict[str, Any]


class _Provider(ResourceProvider):
    """A resource is named by its lab and its own name; it is made anew when an input changes,
    unless the input is one that `grows` in place or is `pinned` to what the resource began with."""

    grows: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()

    def diff(self, _id: str, olds: Props, news: Props) -> DiffResult:
        # Outputs are declared as inputs of None, which say nothing about what is wanted.
        asked = {key: value for key, value in news.items() if value is not None}
        changed = [
            key
            for key, value in asked.items()
            if not key.startswith("__") and key not in self.pinned and olds.get(key) != value
        ]
        return DiffResult(
            changes=bool(changed),
            replaces=[key for key in changed if key not in self.grows],
            delete_before_replace=True,
        )

    def create(self, props: Props) -> CreateResult:
        return CreateResult(f"{Path(props['lab']).name}/{props['name']}", self.make(props))

    def update(self, _id: str, olds: Props, news: Props) -> UpdateResult:
        return UpdateResult({**olds, **self.make(news)})

    def read(self, id_: str, props: Props) -> ReadResult:
        return ReadResult(id_, props) if self.exists(props) else ReadResult("", {})

    def delete(self, _id: str, props: Props) -> None:
        self.remove(props)

    def make(self, props: Props) -> Props:
        raise NotImplementedError

    def exists(self, props: Props) -> bool:
        raise NotImplementedError

    def remove(self, props: Props) -> None:
        raise NotImplementedError


def _lab(props: Props) -> Lab:
    return Lab(Path(props["lab"]))


class _NetworkProvider(_Provider):
    grows = frozenset({"hosts"})

    def make(self, props: Props) -> Props:
        cidr, addresses = network.lease(_lab(props), props["wanted"] or None, props["hosts"])
        return {**props, "cidr": cidr, "gateway": bridge.gateway(cidr), "addresses": addresses}

    def exists(self, props: Props) -> bool:
        return _lab(props).read_leases().get("network") == props["cidr"]

    def remove(self, props: Props) -> None:
        network.release(_lab(props))


class Network(Resource, module="lab", name="Network"):
    """A /24 with an address for each host, this lab's for as long as its foundation stands."""

    cidr: Any
    gateway: Any
    addresses: Any

    def __init__(
        self,
        name: str,
        *,
        lab: str,
        wanted: str,
        hosts: list[str],
        opts: ResourceOptions | None = None,
    ):
        leased = dict.fromkeys(("cidr", "gateway", "addresses"))
        props = {"lab": lab, "name": name, "wanted": wanted, "hosts": hosts, **leased}
        super().__init__(_NetworkProvider(), name, props, opts)


class _HostKeyProvider(_Provider):
    def make(self, props: Props) -> Props:
        lab, name = _lab(props), props["name"]
        public = keys.make(lab.host_key(name), comment=name)
        keys.pin(lab, name, props["address"], public)
        return {**props, "public": public}

    def exists(self, props: Props) -> bool:
        return _lab(props).host_key(props["name"]).exists()

    def remove(self, props: Props) -> None:
        lab, name = _lab(props), props["name"]
        keys.unpin(lab, name)
        shutil.rmtree(lab.host_key(name).parent, ignore_errors=True)


class HostKey(Resource, module="lab", name="HostKey"):
    """The key a host is known by, the same however often the host is recreated."""

    public: Any

    def __init__(
        self, name: str, *, lab: str, address: Input[str], opts: ResourceOptions | None = None
    ):
        props = {"lab": lab, "name": name, "address": address, "public": None}
        super().__init__(_HostKeyProvider(), name, props, opts)


class _VolumeProvider(_Provider):
    grows = frozenset({"gib"})

    def make(self, props: Props) -> Props:
        volumes.make(_lab(props).volume(props["name"]), int(props["gib"]))
        return props

    def exists(self, props: Props) -> bool:
        return _lab(props).volume(props["name"]).exists()

    def remove(self, props: Props) -> None:
        volumes.remove(_lab(props).volume(props["name"]))


class Volume(Resource, module="lab", name="Volume"):
    """A data volume: outlives every host it is attached to."""

    def __init__(self, name: str, *, lab: str, gib: int, opts: ResourceOptions | None = None):
        super().__init__(_VolumeProvider(), name, {"lab": lab, "name": name, "gib": gib}, opts)


class _KeysProvider(_Provider):
    def make(self, props: Props) -> Props:
        lab = _lab(props)
        keys.make(lab.private_key, comment=f"streambed {lab.id}")
        return {
            **props,
            "foundation": str(uuid.uuid4()),
            "cluster_id": base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("="),
            "access_key": secrets.token_hex(8),
            "secret_key": secrets.token_urlsafe(24),
        }

    def exists(self, props: Props) -> bool:
        return _lab(props).private_key.exists()

    def remove(self, props: Props) -> None:
        for file in (_lab(props).private_key, _lab(props).private_key.with_suffix(".pub")):
            file.unlink(missing_ok=True)


class Keys(Resource, module="lab", name="Keys"):
    """What is drawn once for a stage and never again: its ssh key, the id of its foundation and
    of its Kafka cluster, and the keys of its object store."""

    foundation: Any
    cluster_id: Any
    access_key: Any
    secret_key: Any

    def __init__(self, name: str, *, lab: str, opts: ResourceOptions | None = None):
        drawn = dict.fromkeys(("foundation", "cluster_id", "access_key", "secret_key"))
        secret = ResourceOptions(additional_secret_outputs=["access_key", "secret_key"])
        props = {"lab": lab, "name": name, **drawn}
        super().__init__(_KeysProvider(), name, props, ResourceOptions.merge(opts, secret))


class _BridgeProvider(_Provider):
    def make(self, props: Props) -> Props:
        bridge.make(_lab(props), props["cidr"])
        return props

    def exists(self, props: Props) -> bool:
        return bridge.exists(_lab(props))

    def remove(self, props: Props) -> None:
        bridge.remove(_lab(props))


class Bridge(Resource, module="lab", name="Bridge"):
    """The switch that the hosts of a cluster are plugged into."""

    def __init__(self, name: str, *, lab: str, cidr: str, opts: ResourceOptions | None = None):
        super().__init__(_BridgeProvider(), name, {"lab": lab, "name": name, "cidr": cidr}, opts)


class _HostProvider(_Provider):
    # A host keeps the image it was born with: moving it to a new one is recreating it, and that
    # is asked for by name (`make recreate`), never done in passing.
    pinned = frozenset({"image", "bundle"})

    def make(self, props: Props) -> Props:
        machine.start(
            Machine(
                lab=_lab(props),
                name=props["name"],
                address=props["address"],
                prefix=int(props["prefix"]),
                gateway=props["gateway"],
                memory_mib=int(props["memory_mib"]),
                image=Path(props["image"]),
                bundle=Path(props["bundle"]),
                has_volume=bool(props["volume_gib"]),
            )
        )
        return props

    def exists(self, props: Props) -> bool:
        return machine.is_running(_lab(props), props["name"])

    def remove(self, props: Props) -> None:
        machine.stop(_lab(props), props["name"])


class Host(Resource, module="lab", name="Host"):
    """A running host. One that has died is gone, and the next `up` makes it anew."""

    def __init__(self, name: str, *, opts: ResourceOptions | None = None, **props: Input[Any]):
        super().__init__(_HostProvider(), name, {"name": name, **props}, opts)
