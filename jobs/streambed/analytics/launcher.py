"""Runs the driver of an application on one host at a time.

Every host with the role `job` runs a launcher. Whoever has the application's lock in ZooKeeper runs
the driver, and the others wait. Spark has no such thing for Python on a cluster of its own: drivers
in client mode need somebody who starts them, and somebody who makes sure that there is only one.
A driver is dead before another host can have the lock.
"""

from __future__ import annotations

import logging
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import streambed
from streambed.analytics import applications
from streambed.analytics import settings as files
from streambed.analytics.driver_process import DriverProcess
from streambed.analytics.lease import Lease
from streambed.analytics.session import Session, clock
from streambed.analytics.settings import Settings
from streambed.analytics.supervision import Action, Supervision

log = logging.getLogger(__name__)

SUBMIT = "/usr/local/bin/spark-submit"
MAIN = "/usr/local/lib/streambed/drive.py"
LOOK_EVERY_S = 0.1


def launch(config: Path) -> int:
    """Wait for the lock, drive, and return what the process should exit with."""
    settings, stop_wanted = files.load(config), _stop_on_signals()
    lease = Lease()
    session = Session(settings.zookeeper, lease)

    def give_up() -> bool:
        return stop_wanted() or lease.lost is not None

    try:
        log.info("Waiting for the lock of %s.", settings.application)
        lock = applications.lock(settings.application)
        if session.take_lock(lock, identity(settings), give_up=give_up):
            log.info("This host drives %s.", settings.application)
            return drive(command(settings, config), lease, stop_wanted)
        if lease.lost:
            log.warning("This host no longer waits for the lock: %s.", lease.lost)
        return 1 if lease.lost else 0
    finally:
        session.close()


def drive(command: list[str], lease: Lease, stop_wanted: Callable[[], bool]) -> int:
    """Run the driver for as long as it may run. Nothing of it is left when this returns."""
    supervision = Supervision(lease)
    driver = DriverProcess(command, main=MAIN)
    try:
        while True:
            action, why = supervision.decide(
                clock(), ended=driver.ended(), stop_wanted=stop_wanted()
            )
            if action is Action.ASK_TO_END:
                driver.ask_to_end()
            elif action is not Action.NOTHING:
                break
            time.sleep(LOOK_EVERY_S)
    finally:
        code = driver.kill()
    log.log(logging.INFO if stop_wanted() else logging.WARNING, "The driver is gone: %s.", why)
    if action is Action.KILL:
        return 1
    return 0 if stop_wanted() else _exit_code(code)


def identity(settings: Settings) -> str:
    """What is written into the lock, and tells where the driver answers."""
    return f"{socket.gethostname()} {settings.address}:{settings.metrics_port}"


def command(settings: Settings, config: Path) -> list[str]:
    package = str(Path(streambed.__file__).parents[1])
    properties = {
        # One query's batches must not wait for all of another's.
        "spark.scheduler.mode": "FAIR",
        "spark.sql.shuffle.partitions": settings.shuffle_partitions,
        **settings.spark,
    }
    return [
        *(SUBMIT, "--name", settings.application, "--py-files", package),
        *(
            part
            for key, value in properties.items()
            for part in ("--conf", f"{key}={_text(value)}")
        ),
        *(MAIN, "drive", "--config", str(config)),
    ]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _exit_code(code: int) -> int:
    """As a shell tells it: a process that was killed by a signal has no code of its own."""
    return code if code >= 0 else 128 - code


def _stop_on_signals() -> Callable[[], bool]:
    """Whether SIGTERM or SIGINT has come. A handler may take no locks, so there is no event."""
    seen: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _: seen.append(received))
    return lambda: bool(seen)
