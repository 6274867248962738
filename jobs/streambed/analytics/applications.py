"""The applications of a host as an operator sees them: who drives, who waits, how the jobs are."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from kazoo.exceptions import NoNodeError

from streambed.analytics import wanted

CONFIGS = Path("/etc/jobs")
_CONTENDER = re.compile(r"__lock__(\d{10})$")

Ask = Callable[[str], list[dict[str, Any]]]


@dataclass(frozen=True)
class Application:
    name: str
    zookeeper: str
    jobs: tuple[str, ...]


@dataclass(frozen=True)
class Launcher:
    """A host that drives, or would like to, and where its driver answers."""

    host: str
    address: str


def lock(application: str) -> str:
    """Where in ZooKeeper the launchers of an application meet."""
    return f"/streambed/applications/{application}/lock"


def configured(folder: Path = CONFIGS) -> list[Application]:
    found = [yaml.safe_load(file.read_text()) for file in sorted(folder.glob("*.yml"))]
    return [
        Application(
            name=data["application"],
            zookeeper=data["zookeeper"],
            jobs=tuple(job["name"] for job in data["jobs"]),
        )
        for data in found
    ]


def launchers(zookeeper: Any, application: Application) -> list[Launcher]:
    """Whoever holds the lock first, then those who wait, in their order."""
    path = lock(application.name)
    try:
        nodes = zookeeper.get_children(path)
    except NoNodeError:
        return []
    found = []
    for node in sorted(filter(_CONTENDER.search, nodes), key=lambda node: node[-10:]):
        try:
            data, _ = zookeeper.get(f"{path}/{node}")
        except NoNodeError:  # it has gone meanwhile
            continue
        host, _, address = data.decode().partition(" ")
        found.append(Launcher(host, address))
    return found


def ask_driver(address: str) -> list[dict[str, Any]]:
    """What a driver tells of its jobs; nothing while it does not answer."""
    try:
        with urllib.request.urlopen(f"http://{address}/jobs", timeout=3) as reply:
            return json.load(reply)
    except (OSError, ValueError):
        return []


def describe(zookeeper: Any, application: Application, ask: Ask = ask_driver) -> dict[str, Any]:
    driver, *waiting = launchers(zookeeper, application) or [None]
    told = {row["name"]: row for row in (ask(driver.address) if driver else [])}
    silent = {"state": "starting" if driver else "not driven"}
    return {
        "application": application.name,
        "driver": driver and {"host": driver.host, "address": driver.address},
        "waiting": [launcher.host for launcher in waiting],
        "jobs": [
            {"name": job, **told.get(job, silent), "wanted": wanted.read(zookeeper, job).state}
            for job in application.jobs
        ],
    }
