"""Drive a stage as its users do: with make, without a terminal, from outside."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import requests
import yaml

from infra.lab import cgroups
from infra.lab.names import Lab

REPO = Path(__file__).parents[2]
AS_IT_SHIPS = yaml.safe_load((REPO / "inventories" / "local.yml").read_text())
# The platform is tested without jobs, which take both processors of a small machine while they
# warm up; they are tested last, on the stage as it ships (test_7_jobs.py).
LOCAL = {
    **AS_IT_SHIPS,
    "jobs": [],
    "hosts": [
        {**group, "roles": [role for role in group["roles"] if role != "job"]}
        for group in AS_IT_SHIPS["hosts"]
    ],
}

# The deepest thing a broken run can do is wait: no single make may take longer than this.
LONGEST_SECONDS = 1500


@dataclass
class Said:
    code: int
    text: str


class Platform:
    def __init__(
        self,
        stage: str,
        state_home: Path,
        *,
        repo: Path = REPO,
        stages: Path | None = None,
    ):
        self.stage = stage
        self.repo = repo
        self.environment = {
            **{
                key: value
                for key, value in os.environ.items()
                if key not in ("CONFIRM", "HOST", "BEGAN")
            },
            "XDG_STATE_HOME": str(state_home),
            "STAGE": stage,
            "STAGES": str(stages or repo / "inventories"),
        }
        self.state_home = state_home

    def make(self, target: str, *, expect: int = 0, **variables: str) -> Said:
        done = subprocess.run(
            ["make", "--no-print-directory", target],
            cwd=self.repo,
            env=self.environment | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LONGEST_SECONDS,
        )
        said = Said(done.returncode, done.stdout)
        assert bool(said.code) == bool(expect), said.text[-6000:]
        return said

    def start(self, target: str) -> subprocess.Popen:
        """A make in the background, in a process group of its own so that it can be killed."""
        return subprocess.Popen(
            ["make", "--no-print-directory", target],
            cwd=self.repo,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def purge(self) -> None:
        if self.state.exists():
            self.make("purge", CONFIRM=self.stage)

    @property
    def state(self) -> Path:
        found = list((self.state_home / "streambed").glob(f"{self.stage}-*"))
        here = [path for path in found if re.fullmatch(rf"{self.stage}-[0-9a-f]{{4}}", path.name)]
        return next(
            (path for path in here if (path / "clone").read_text() == str(self.repo)),
            self.state_home / "streambed" / "none",
        )

    @property
    def addresses(self) -> dict[str, str]:
        return json.loads((self.state / "addresses.json").read_text())["hosts"]

    def on(self, host: str, command: str) -> str:
        done = subprocess.run(
            ["ssh", "-F", str(self.state / "ssh" / "config"), host, command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, f"{host}: {command}: {done.stderr or done.stdout}"
        return done.stdout.strip()

    def cut_power(self, host: str) -> None:
        cgroups.kill(f"{Lab(self.state).cgroup}/{host}")

    def main_process(self, host: str, unit: str) -> int:
        return int(self.on(host, f"systemctl show --property=MainPID --value {unit}"))

    def brokers(self) -> list[str]:
        return [f"{self.addresses[name]}:9092" for name in self.hosts("kafka")]

    def hosts(self, group: str) -> list[str]:
        return sorted(name for name in self.addresses if name.rpartition("-")[0] == group)

    def masters(self) -> dict[str, dict]:
        """What every Spark master that answers says of itself."""
        answers = {}
        for name in self.hosts("spark"):
            try:
                url = f"http://{self.addresses[name]}:8080/json/"
                answers[name] = requests.get(url, timeout=2).json()
            except (requests.RequestException, ValueError):
                continue
        return answers

    def leader(self) -> str | None:
        """The one master that leads with every worker registered, if there is one."""
        workers = len(self.hosts("worker"))
        leading = [
            name
            for name, state in self.masters().items()
            if state["status"] == "ALIVE"
            and sum(worker["state"] == "ALIVE" for worker in state["workers"]) == workers
        ]
        return leading[0] if len(leading) == 1 else None


def machine_remains() -> dict[str, set[str]]:
    """What the kernel lends to labs, seen without any of our own code."""
    groups = subprocess.run(
        ["find", "/sys/fs/cgroup", "-type", "d", "-name", "streambed-*"],
        capture_output=True,
        text=True,
    ).stdout.split()
    commands = [
        (path.parent / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if path.exists()
    ]
    return {
        "mounts": {line.split(" ")[1] for line in Path("/proc/self/mounts").open()},
        "loop devices": set(_lines("losetup", "--noheadings", "--list", "--output", "BACK-FILE")),
        "network namespaces": set(_lines("ip", "netns", "list")),
        "links": {line.split(":")[1].split("@")[0] for line in _lines("ip", "-o", "link")},
        "control groups": set(groups),
        "processes": {command for command in commands if "systemd-nspawn" in command},
        "nspawn": {str(path) for path in Path("/run/systemd/nspawn").glob("*/*")},
    }


def clone_to(folder: Path) -> Path:
    """A second clone of this very commit, with what is not committed yet laid over it."""
    shutil.copytree(
        REPO,
        folder,
        symlinks=True,
        ignore=shutil.ignore_patterns(".venv", "__pycache__", ".*_cache"),
    )
    return folder


def _lines(*command: str) -> list[str]:
    return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
