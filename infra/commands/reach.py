"""Look into a deployed stage: a shell on a host, a unit's log, and how everything fares."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from infra import context, ssh, table
from infra.stacks import Stacks
from infra.stage import Stage
from infra.topology import Topology


class NotThere(Exception):
    """The stage or the host that was named does not exist."""


def shell(stage: Stage) -> None:
    _become_ssh(stage)


def logs(stage: Stage) -> None:
    unit = os.environ.get("UNIT", "")
    follow = "--follow" if os.environ.get("FOLLOW") else "--lines=200"
    _become_ssh(stage, "journalctl", "--no-pager", follow, *(["--unit", unit] if unit else []))


def status(stage: Stage) -> None:
    topology, config = deployed(stage)
    with ThreadPoolExecutor() as pool:
        states = pool.map(lambda host: _state(config, host.name), topology.hosts)
        table.what_runs_where(topology, dict(zip([h.name for h in topology.hosts], states)))
    table.addresses(topology)


def _become_ssh(stage: Stage, *command: str) -> None:
    topology, config = deployed(stage)
    host = os.environ.get("HOST", "")
    if not topology.host(host):
        names = ", ".join(known.name for known in topology.hosts)
        raise NotThere(f"HOST must name a host of {stage.name}: {names}; found {host!r}.")
    os.execvp("ssh", ["ssh", "-F", str(config), host, *command])


def deployed(stage: Stage) -> tuple[Topology, Path]:
    state = context.state(stage.name)
    topology = Stacks(stage).topology() if (state / "pulumi").exists() else None
    if topology is None:
        raise NotThere(f"{stage.name} is not deployed: run `make deploy STAGE={stage.name}`.")
    return topology, ssh.write_configuration(topology, state)


def _state(config: Path, host: str) -> str:
    """`running`, what systemd says is wrong, or that nobody answers."""
    ask = "systemctl is-system-running; systemctl --failed --plain --no-legend"
    done = subprocess.run(
        ["ssh", "-F", str(config), "-o", "ConnectTimeout=3", "-o", "BatchMode=yes", host, ask],
        capture_output=True,
        text=True,
    )
    if done.returncode == 255:
        return "does not answer"
    overall, *failed = done.stdout.splitlines() or ["unknown"]
    return ", ".join([overall, *(line.split()[0] for line in failed)])
