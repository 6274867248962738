"""What operators want of a job, kept in ZooKeeper so that it outlives drivers, hosts and deploys.

A job is wanted to run unless somebody said otherwise. Restarts and resets are counted up: a driver
carries out those that it has not seen yet.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from kazoo.exceptions import BadVersionError, NodeExistsError, NoNodeError


@dataclass(frozen=True)
class Wanted:
    state: Literal["running", "stopped"] = "running"
    restarts: int = 0
    resets: int = 0

    @classmethod
    def parse(cls, data: bytes) -> Wanted:
        return cls(**json.loads(data)) if data else cls()

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()


def path(job: str) -> str:
    return f"/streambed/jobs/{job}/wanted"


def read(zookeeper: Any, job: str) -> Wanted:
    try:
        data, _ = zookeeper.get(path(job))
    except NoNodeError:
        return Wanted()
    return Wanted.parse(data)


def change(zookeeper: Any, job: str, how: Callable[[Wanted], Wanted]) -> Wanted:
    """Two operators at once: both changes count, whoever comes second reads the first's."""
    while True:
        try:
            data, stat = zookeeper.get(path(job))
            wanted = how(Wanted.parse(data))
            zookeeper.set(path(job), wanted.to_bytes(), version=stat.version)
        except NoNodeError:
            wanted = how(Wanted())
            try:
                zookeeper.create(path(job), wanted.to_bytes(), makepath=True)
            except NodeExistsError:
                continue
        except BadVersionError:
            continue
        return wanted
