"""The foundation of a lab: a network, and for each host what outlives it."""

from __future__ import annotations

from typing import Any

from pulumi import Output, ResourceOptions

from infra import context
from infra.lab.resources import HostKey, Keys, Network, Volume
from infra.stage import Stage


def make(stage: Stage) -> dict[str, Any]:
    lab = str(context.state())
    # What a stage draws once cannot be drawn again: only `make purge` takes the protection off.
    keep = ResourceOptions(protect=True)
    keys = Keys("keys", lab=lab, opts=keep)
    names = [identity.name for identity in stage.identities()]
    network = Network("network", lab=lab, wanted=stage.network or "", hosts=names, opts=keep)
    for name in names:
        HostKey(name, lab=lab, address=network.addresses[name])
    for identity in stage.identities():
        if identity.data_gib:
            Volume(identity.name, lab=lab, gib=identity.data_gib, opts=keep)
    return {
        "cidr": network.cidr,
        "gateway": network.gateway,
        "foundation": keys.foundation,
        "cluster_id": keys.cluster_id,
        "addresses": network.addresses,
        "object_store": Output.secret(
            {"access_key": keys.access_key, "secret_key": keys.secret_key}
        ),
    }
