"""The lab's network: a /24 of its own, and one address in it for every host identity.

Both are leases in a file of the lab: asked again, they give the same answer, whatever has been
destroyed, reordered or added in between.
"""

from __future__ import annotations

import fcntl
import ipaddress
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.lab.command import LabError, run
from infra.lab.names import Lab
from infra.rules import LAB_RANGE

# The bridge is .1; hosts start where they are easily told from it.
FIRST_HOST = 11


# Who has which network, whatever clone or state directory: a link named by the network, made in one
# step, so that two labs can never take the same.
RESERVED = Path("/var/lib/streambed/networks")


def lease(lab: Lab, wanted: str | None, hosts: list[str]) -> tuple[str, dict[str, str]]:
    """A free /24 of the lab range (`wanted` if it is free), and an address in it for each host.
    Hosts that are no longer asked for give theirs back."""
    with _leases(lab) as leases:
        if leases.get("network") is None or wanted not in (None, leases["network"]):
            leases["network"] = _take(lab, wanted) if wanted else _first_free(lab)
            leases["hosts"] = {}
        known = {host: leases["hosts"][host] for host in hosts if host in leases["hosts"]}
        usable = list(ipaddress.ip_network(leases["network"]).hosts())[FIRST_HOST - 1 :]
        free = (str(address) for address in usable if str(address) not in known.values())
        for host in hosts:
            if host not in known:
                known[host] = next(free)
        leases["hosts"] = known
        return leases["network"], known


def release(lab: Lab) -> None:
    for link in RESERVED.glob("*"):
        if link.readlink() == lab.state:
            link.unlink()
    lab.leases.unlink(missing_ok=True)


def used_by(lab: Lab, network: str) -> str | None:
    """What else on this machine uses the network, if anything does."""
    wanted = ipaddress.ip_network(network)
    for route in json.loads(run("ip", "-json", "-4", "route", "show", "table", "all")):
        try:
            other = ipaddress.ip_network(route["dst"])
        except ValueError:  # `default`, which overlaps everything and means nothing here
            continue
        if other.prefixlen and other.overlaps(wanted) and route.get("dev") != lab.bridge:
            return f"the interface {route.get('dev', '?')} (route {route['dst']})"
    return None


def _take(lab: Lab, wanted: str) -> str:
    user = used_by(lab, wanted) or _reserve(lab, wanted)
    if user:
        raise LabError(
            f"The network {wanted} is already used on this machine by {user}: set another "
            "`network` in the stage file, or leave the key out and a free one is chosen."
        )
    return wanted


def _first_free(lab: Lab) -> str:
    for network in map(str, LAB_RANGE.subnets(new_prefix=24)):
        if not used_by(lab, network) and not _reserve(lab, network):
            return network
    raise LabError(f"Every /24 of {LAB_RANGE} is in use on this machine: free one and try again.")


def _reserve(lab: Lab, network: str) -> str | None:
    """Reserve the network, or tell whose it is. A lab whose state is gone has none."""
    RESERVED.mkdir(parents=True, exist_ok=True)
    link = RESERVED / network.replace("/", "-")
    if link.is_symlink() and not link.exists():
        link.unlink(missing_ok=True)
    try:
        link.symlink_to(lab.state)
    except FileExistsError:
        holder = link.readlink()
        return None if holder == lab.state else f"the lab in {holder}"
    return None


@contextmanager
def _leases(lab: Lab) -> Iterator[dict]:
    """The lab's leases, held alone and written back whole."""
    lab.state.mkdir(parents=True, exist_ok=True)
    with (lab.state / "addresses.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        leases = lab.read_leases()
        before = json.dumps(leases)
        yield leases
        if json.dumps(leases) != before:
            fresh = lab.leases.with_suffix(".new")
            fresh.write_text(json.dumps(leases, indent=2))
            fresh.replace(lab.leases)
