"""`streambed-jobs`: see, stop, start, restart and reset jobs, from any host with the role `job`.

What is wanted is written to ZooKeeper, where the driver sees it, whichever host it is on and even
if it is down just now; then the driver is asked until it has done it. Exit code 2 means that what
was asked for is wrong, 1 that it has not come about.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from streambed.analytics import wanted
from streambed.analytics.applications import (
    Application,
    Ask,
    ask_driver,
    configured,
    describe,
)

PATIENCE_S = 120.0
ENDED_BADLY = ("failed", "refused")

Row = dict[str, Any]


class Wrong(Exception):
    """What was asked for cannot be done; its text says why."""


class NotDone(Exception):
    """It was asked for, and has not come about; its text says what is."""


class Control:
    def __init__(
        self,
        zookeeper: Any,
        applications: Sequence[Application],
        *,
        ask: Ask = ask_driver,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._zookeeper = zookeeper
        self._applications = applications
        self._ask = ask
        self._clock = clock
        self._sleep = sleep

    def list(self) -> list[dict[str, Any]]:
        return [describe(self._zookeeper, each, self._ask) for each in self._applications]

    def stop(self, job: str) -> str:
        before = self._row(job)
        wanted.change(self._zookeeper, job, lambda now: replace(now, state="stopped"))
        self._await(job, lambda row: row["state"] == "stopped", "stopped", before)
        return f"{job} is stopped. It stays so, deploys and failures too, until it is started."

    def start(self, job: str) -> str:
        before = self._row(job)
        wanted.change(self._zookeeper, job, lambda now: replace(now, state="running"))
        if before["state"] == "running":
            return f"{job} is running already."
        row = self._await(job, lambda row: row["state"] == "running", "running", before)
        return f"{job} is running, on {row['host']}."

    def restart(self, job: str) -> str:
        before = self._driven(job)
        if before["wanted"] == "stopped":
            raise Wrong(f"{job} was stopped by an operator; start it instead.")
        want = wanted.change(
            self._zookeeper, job, lambda now: replace(now, restarts=now.restarts + 1)
        )

        def restarted(row: Row) -> bool:
            return row["state"] == "running" and row.get("restarts", 0) >= want.restarts

        row = self._await(job, restarted, "restarted", before)
        return f"{job} has been restarted and goes on from its checkpoint, on {row['host']}."

    def reset(self, job: str) -> str:
        before = self._driven(job)
        want = wanted.change(self._zookeeper, job, lambda now: replace(now, resets=now.resets + 1))

        def reset(row: Row) -> bool:
            return row["state"] == want.state and row.get("resets", 0) >= want.resets

        self._await(job, reset, "reset", before)
        begins = "is stopped; once started, it begins" if want.state == "stopped" else "begins"
        return f"{job} has discarded its checkpoint and {begins} anew with the oldest records kept."

    def _await(self, job: str, met: Callable[[Row], bool], hoped_for: str, before: Row) -> Row:
        deadline = self._clock() + PATIENCE_S
        while not met(row := self._row(job)):
            if row["state"] in ENDED_BADLY and row.get("since") != before.get("since"):
                raise NotDone(f"{job} is {row['state']}: {row.get('sentence') or 'no reason told'}")
            if self._clock() >= deadline:
                raise NotDone(
                    f"{job} is not {hoped_for} after {PATIENCE_S:.0f} s but {row['state']}, on "
                    f"{row['host'] or 'no host'}. It is still wanted, and done once it can be."
                )
            self._sleep(0.5)
        return row

    def _row(self, job: str) -> Row:
        """What is known of a job, and the host that drives it."""
        for application in self._applications:
            if job in application.jobs:
                found = describe(self._zookeeper, application, self._ask)
                (row,) = (row for row in found["jobs"] if row["name"] == job)
                return row | {"host": found["driver"] and found["driver"]["host"]}
        known = sorted(job for application in self._applications for job in application.jobs)
        raise Wrong(f"There is no job {job!r}; the stage has {', '.join(known) or 'none'}.")

    def _driven(self, job: str) -> Row:
        """A driver carries out what is counted up while it drives; the next one would not know."""
        if "since" not in (row := self._row(job)):
            raise NotDone(f"No driver answers for {job} just now, it is {row['state']}: try again.")
        return row


def main(arguments: list[str] | None = None) -> int:
    logging.getLogger("kazoo").setLevel(logging.CRITICAL)
    options = _parser().parse_args(arguments)
    applications = configured()
    if not applications:
        print("This host runs no jobs: /etc/jobs holds no configuration.", file=sys.stderr)
        return 2
    from kazoo.client import KazooClient

    zookeeper = KazooClient(hosts=applications[0].zookeeper, timeout=5)
    try:
        zookeeper.start(timeout=15)
        control = Control(zookeeper, applications)
        if options.verb == "list":
            print(json.dumps(control.list()))
        else:
            print(getattr(control, options.verb)(options.job))
    except Wrong as error:
        print(error, file=sys.stderr)
        return 2
    except NotDone as error:
        print(error, file=sys.stderr)
        return 1
    except zookeeper.handler.timeout_exception:
        print("ZooKeeper does not answer.", file=sys.stderr)
        return 1
    finally:
        zookeeper.stop()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="streambed-jobs", description="See and control jobs.")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="COMMAND")
    verbs.add_parser("list", help="every application, its driver and its jobs, as JSON")
    for verb, what in (
        ("stop", "end a job after its batch; its checkpoint stays"),
        ("start", "let a stopped job go on from its checkpoint"),
        ("restart", "stop and start a job"),
        ("reset", "discard a job's checkpoint and begin with the oldest records kept"),
    ):
        verbs.add_parser(verb, help=what).add_argument("job", metavar="JOB")
    return parser


if __name__ == "__main__":
    sys.exit(main())
