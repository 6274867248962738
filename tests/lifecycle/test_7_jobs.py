"""The jobs on the stage as it ships: what they say is what the oracle says, whatever is killed.

JOBS_SECONDS is how long they are watched; ten minutes are the promise, and make test takes less.
"""

import json
import os
import re
import time

import pytest
import requests
from platform_under_test import AS_IT_SHIPS, Platform
from waiting import wait_until

WATCHED_S = int(os.environ.get("JOBS_SECONDS") or 120)
# A job that keeps up has never more than this to read: a fleet of a hundred says 110 a second.
MOST_BEHIND = 110 * 60
NAMES = {job["name"] for job in AS_IT_SHIPS["jobs"]}


class Jobs(Platform):
    def listed(self) -> dict:
        """What the first host that answers says of the application."""
        for host in self.hosts("spark"):
            try:
                (application,) = json.loads(self.on(host, "streambed-jobs list"))
                return application
            except (AssertionError, ValueError):
                continue
        return {"driver": None, "jobs": []}

    def driver(self) -> str | None:
        return (self.listed()["driver"] or {}).get("host")

    def rows(self) -> dict[str, dict]:
        return {row["name"]: row for row in self.listed()["jobs"]}

    def all_run(self) -> bool:
        rows = self.rows()
        return set(rows) == NAMES and all(row["state"] == "running" for row in rows.values())

    def caught_up(self) -> bool:
        rows = self.rows().values()
        return bool(rows) and all((row.get("lag") or 0) < MOST_BEHIND for row in rows)

    def ask_oracle(self) -> str:
        said = self.make("oracle").text
        print(said)
        assert re.search(r"^[1-9]\d* compared, 0 missing, 0 wrong, 0 extra$", said, re.MULTILINE)
        return said


@pytest.fixture(scope="module")
def jobs(state_home, nothing_is_left_behind):
    platform = Jobs("local", state_home)
    # Other tests leave recordings behind that are from years to come: all else would be late.
    platform.purge()
    platform.make("deploy")
    wait_until(platform.all_run, seconds=240, what="every job has completed a batch")
    return platform


def test_they_keep_up_with_the_fleet_and_the_oracle_finds_nothing_wrong(jobs):
    wait_until(jobs.caught_up, seconds=240, what="the backlog is worked off")
    deadline, most = time.monotonic() + WATCHED_S, 0
    while time.monotonic() < deadline:
        rows = jobs.rows().values()
        assert {row["state"] for row in rows} == {"running"}
        most = max([most, *(row.get("lag") or 0 for row in rows)])
        time.sleep(5)
    print(f"at most {most} records behind in {WATCHED_S} s")
    assert most < MOST_BEHIND
    jobs.ask_oracle()


def test_a_killed_driver_is_replaced_and_nothing_is_lost(jobs):
    host = jobs.driver()
    pid = jobs.on(host, "pgrep -f org.apache.spark.deploy.SparkSubmit").split()[0]
    jobs.on(host, f"kill -9 {pid}")
    wait_until(lambda: jobs.driver() not in (None, host), seconds=20, what="another host drives")
    wait_until(jobs.all_run, seconds=240, what="every job has completed a batch")
    jobs.ask_oracle()


def test_jobs_stop_and_start_when_told_and_others_go_on(jobs):
    assert "is stopped" in jobs.make("job-stop", JOB="pass-through").text
    rows = jobs.rows()
    assert rows["pass-through"]["state"] == "stopped"
    assert rows["flow-direction"]["state"] == "running"
    assert "is running" in jobs.make("job-start", JOB="pass-through").text
    said = jobs.make("job-reset", JOB="pass-through", expect=2).text
    assert "CONFIRM=pass-through" in said


def test_metrics_are_there_for_every_job(jobs):
    address = jobs.listed()["driver"]["address"]
    text = requests.get(f"http://{address}/metrics", timeout=10).text
    for name in NAMES:
        assert f'streambed_job_up{{job="{name}"}} 1.0' in text
