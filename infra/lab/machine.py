"""A host, whole: namespace, root, volume and control group put together and booted."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from infra.lab import cgroups, namespaces, overlay, volumes
from infra.lab.command import LabError
from infra.lab.names import Lab

# The name a data volume has inside a host, as it would have on EC2.
DATA_DEVICE = "/dev/nvme1n1"

NSPAWN = Path("/run/systemd/nspawn")

REPO = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, kw_only=True)
class Machine:
    lab: Lab
    name: str
    address: str
    prefix: int
    gateway: str
    memory_mib: int
    image: Path
    bundle: Path
    has_volume: bool

    @property
    def group(self) -> str:
        return f"{self.lab.cgroup}/{self.name}"

    @property
    def console(self) -> Path:
        return self.lab.state / "logs" / f"{self.name}.console"


def start(machine: Machine) -> None:
    """Boot the host and wait until it answers on ssh. What is left of an earlier try goes first."""
    lab, name = machine.lab, machine.name
    stop(lab, name)
    namespaces.make(
        lab, name, address=machine.address, prefix=machine.prefix, gateway=machine.gateway
    )
    root = overlay.make(lab.host(name), lower=[machine.bundle, machine.image])
    _personalise(machine, root)
    for part in ("keeper", "machine"):
        cgroups.make(f"{machine.group}/{part}")
    cgroups.make(machine.group, memory_mib=machine.memory_mib)
    device = volumes.attach(lab.volume(name)) if machine.has_volume else None
    machine.console.parent.mkdir(exist_ok=True)
    with machine.console.open("ab") as console:
        subprocess.Popen(
            [sys.executable, "-m", "infra.lab.keeper", machine.group, *_nspawn(machine, device)],
            cwd=REPO,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    _await_ssh(machine)


def stop(lab: Lab, name: str) -> None:
    """Pull the plug and take everything away but the volume's data."""
    group = f"{lab.cgroup}/{name}"
    cgroups.kill(group)
    cgroups.remove(group)
    namespaces.remove(lab, name)
    _tidy_after_nspawn(lab, name)
    overlay.remove(lab.host(name))
    volumes.detach(lab.volume(name))


def is_running(lab: Lab, name: str) -> bool:
    return bool(cgroups.processes(f"{lab.cgroup}/{name}/machine"))


def _machine_name(lab: Lab, name: str) -> str:
    return f"{name}.{lab.tag}"


def _personalise(machine: Machine, root: Path) -> None:
    """What makes this host itself before it first boots: its name, its key, and who may log in."""
    lab = machine.lab
    (root / "etc/hostname").write_text(f"{machine.name}\n")
    key = lab.host_key(machine.name)
    for suffix, mode in (("", 0o600), (".pub", 0o644)):
        target = root / f"etc/ssh/{key.name}{suffix}"
        target.write_bytes(key.with_name(key.name + suffix).read_bytes())
        target.chmod(mode)
    authorized = root / "root/.ssh/authorized_keys"
    authorized.parent.mkdir(mode=0o700, exist_ok=True)
    authorized.write_bytes(lab.private_key.with_suffix(".pub").read_bytes())
    authorized.chmod(0o600)


def _nspawn(machine: Machine, device: str | None) -> list[str]:
    lab, name = machine.lab, machine.name
    # The machine id follows the identity, so that a recreated host logs as the same one.
    machine_id = uuid.uuid5(uuid.NAMESPACE_URL, f"streambed:{lab.state}/{name}")
    command = [
        "systemd-nspawn",
        "--quiet",
        "--boot",
        "--register=no",
        "--keep-unit",
        f"--machine={_machine_name(lab, name)}",
        f"--hostname={name}",
        f"--uuid={machine_id}",
        f"--directory={lab.host(name) / 'root'}",
        f"--network-namespace-path={namespaces.FOLDER / lab.network_namespace(name)}",
        "--capability=CAP_NET_ADMIN",
        "--resolv-conf=off",
        "--timezone=off",
        "--link-journal=no",
        "--console=pipe",
    ]
    if device:
        command.append(f"--bind={device}:{DATA_DEVICE}")
    return command


def _tidy_after_nspawn(lab: Lab, name: str) -> None:
    """Remove what nspawn leaves when it is killed: a mount tunnel, and its lock on the root."""
    propagate = NSPAWN / "propagate" / _machine_name(lab, name)
    overlay.unmount_below(propagate)
    if propagate.is_dir():
        propagate.rmdir()
    root = lab.host(name) / "root"
    if root.is_dir():
        inode = root.stat()
        (NSPAWN / "locks" / f"inode-{inode.st_dev}:{inode.st_ino}").unlink(missing_ok=True)


def _await_ssh(machine: Machine, *, seconds: float = 90) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            with socket.create_connection((machine.address, 22), timeout=2) as connection:
                connection.settimeout(5)
                if connection.recv(4) == b"SSH-":
                    return
        except OSError:
            time.sleep(0.2)
        if not is_running(machine.lab, machine.name) and time.monotonic() > deadline - seconds + 15:
            break
    raise LabError(
        f"The host {machine.name} does not answer on ssh at {machine.address}: "
        f"its console is in {machine.console}."
    )
