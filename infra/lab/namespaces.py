"""A host's network namespace, with the cable that joins it to the bridge."""

from __future__ import annotations

from pathlib import Path

from infra.lab.command import run, succeeds
from infra.lab.names import Lab

FOLDER = Path("/run/netns")


def make(lab: Lab, host: str, *, address: str, prefix: int, gateway: str) -> None:
    space, cable = lab.network_namespace(host), lab.interface(host)
    remove(lab, host)
    run("ip", "netns", "add", space)
    run("ip", "link", "add", cable, "type", "veth", "peer", "name", "host0", "netns", space)
    run("ip", "link", "set", cable, "master", lab.bridge, "up")
    for line in (
        ("link", "set", "lo", "up"),
        ("address", "add", f"{address}/{prefix}", "dev", "host0"),
        ("link", "set", "host0", "up"),
        ("route", "add", "default", "via", gateway),
    ):
        run("ip", "-n", space, *line)


def remove(lab: Lab, host: str) -> None:
    # The kernel takes the namespace's end of the cable, and so the cable, some time after the
    # namespace: a host made again at once must not meet it.
    if succeeds("ip", "link", "show", lab.interface(host)):
        succeeds("ip", "link", "delete", lab.interface(host))
    if (FOLDER / lab.network_namespace(host)).exists():
        run("ip", "netns", "delete", lab.network_namespace(host))


def of_lab(lab: Lab) -> list[str]:
    """The hosts that have a namespace, known to the stack or not."""
    prefix = lab.network_namespace("")
    return sorted(p.name.removeprefix(prefix) for p in FOLDER.glob(f"{prefix}*"))
