"""The bridge that joins the hosts, with the machine's own foot in it: so a browser or a command
line here reaches every host directly, and nothing of it leaves the machine."""

from __future__ import annotations

import ipaddress

from infra.lab import network as networks
from infra.lab.command import LabError, run, succeeds
from infra.lab.names import Lab


def exists(lab: Lab) -> bool:
    return succeeds("ip", "link", "show", lab.bridge)


def make(lab: Lab, network: str) -> None:
    if user := networks.used_by(lab, network):
        raise LabError(
            f"The network {network} of this stage is now used by {user} as well: end that, or "
            "purge this stage and deploy it anew."
        )
    if not exists(lab):
        run("ip", "link", "add", lab.bridge, "type", "bridge", "forward_delay", 0)
    net = ipaddress.ip_network(network)
    run("ip", "address", "replace", f"{gateway(network)}/{net.prefixlen}", "dev", lab.bridge)
    run("ip", "link", "set", lab.bridge, "up")


def remove(lab: Lab) -> None:
    if exists(lab):
        run("ip", "link", "delete", lab.bridge)


def gateway(network: str) -> str:
    return str(next(ipaddress.ip_network(network).hosts()))
