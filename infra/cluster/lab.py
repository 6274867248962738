"""The cluster of a lab: hosts on a bridge, each with the volume of its identity."""

from __future__ import annotations

import ipaddress

import pulumi
from pulumi import Output, ResourceOptions

from infra import context
from infra.lab.machine import DATA_DEVICE
from infra.lab.names import Lab
from infra.lab.resources import Bridge, Host
from infra.stage import Identity, Stage
from infra.topology import Bucket, DataVolume, Ssh, Topology
from infra.topology import Host as HostInTopology

OBJECT_STORE_PORT = 7070


def make(stage: Stage) -> Output[dict]:
    foundation = pulumi.StackReference(f"organization/streambed-foundation/{stage.name}")
    lab = Lab(context.state())
    bridge = Bridge("bridge", lab=str(lab.state), cidr=foundation.require_output("cidr"))
    config = pulumi.Config()
    for identity in stage.identities():
        Host(
            identity.name,
            lab=str(lab.state),
            address=foundation.require_output("addresses").apply(_of(identity)),
            prefix=foundation.require_output("cidr").apply(_prefix),
            gateway=foundation.require_output("gateway"),
            memory_mib=identity.memory_mib,
            volume_gib=identity.data_gib or 0,
            image=config.require("image"),
            bundle=config.require("bundle"),
            opts=ResourceOptions(depends_on=[bridge]),
        )
    known = {
        key: foundation.require_output(key)
        for key in ("foundation", "cluster_id", "addresses", "object_store")
    }
    return Output.all(**known).apply(lambda outputs: _topology(stage, lab, outputs))


def _of(identity: Identity):
    return lambda addresses: addresses[identity.name]


def _prefix(cidr: str) -> int:
    return ipaddress.ip_network(cidr).prefixlen


def _topology(stage: Stage, lab: Lab, known: dict) -> dict:
    hosts = tuple(
        HostInTopology(
            address=known["addresses"][identity.name],
            data=DataVolume(
                device=DATA_DEVICE,
                uuid=lab.filesystem_uuid(identity.name, known["foundation"]),
            )
            if identity.data_gib
            else None,
            **identity.model_dump(exclude={"data_gib"}),
        )
        for identity in stage.identities()
    )
    store = next((host for host in hosts if "object_store" in host.roles), None)
    return Topology(
        stage=stage.name,
        cluster_id=known["cluster_id"],
        hosts=hosts,
        bucket=store
        and Bucket(
            name=stage.bucket,
            # S3 clients insist on a region; a server that has none accepts the oldest.
            region="us-east-1",
            endpoint=f"http://{store.address}:{OBJECT_STORE_PORT}",
            **known["object_store"],
        ),
        ssh=Ssh(user="root", private_key=lab.private_key, known_hosts=lab.known_hosts),
    ).model_dump(mode="json")
