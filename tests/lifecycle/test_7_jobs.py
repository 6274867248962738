"""The jobs on the stage as it ships: what they say is what the oracle says, whatever is killed.

JOBS_SECONDS is how long they are watched; ten minutes are the promise, and make test takes less.
"""

import contextlib
import json
import os
import random
import re
import time
from functools import cached_property
from pathlib import Path

import pytest
import requests
import yaml
from kafka_reader import Reader
from kazoo.client import KazooClient
from platform_under_test import AS_IT_SHIPS, Platform
from processes import simulator
from streambed.analytics.applications import Application, describe
from waiting import wait_until

WATCHED_S = int(os.environ.get("JOBS_SECONDS") or 60)
# A job that keeps up has never more than this to read: a fleet of a hundred says 110 a second.
MOST_BEHIND = 110 * 60
NAMES = {job["name"] for job in AS_IT_SHIPS["jobs"]}
# A new driver or executor begins cold, on the two processors that all hosts share.
RESUME_S = 240
FIRST_VEHICLE = 30_001  # far from those of the stage's own fleet


class Jobs(Platform):
    @cached_property
    def zookeeper(self) -> KazooClient:
        client = KazooClient(
            ",".join(f"{self.addresses[host]}:2181" for host in self.hosts("kafka"))
        )
        client.start(timeout=30)
        return client

    def listed(self) -> dict:
        """As `make jobs` has it, but asked from here, where asking often costs little."""
        return describe(self.zookeeper, Application("analytics", "", tuple(sorted(NAMES))))

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

    def batches(self) -> dict[str, int]:
        """The newest batch of each job, by its number, which goes on from driver to driver."""
        rows = self.rows().values()
        return {row["name"]: row["batch_id"] for row in rows if row.get("batch_id") is not None}

    def since(self) -> dict[str, float]:
        """Since when each job has been in the state that it is in."""
        return {row["name"]: row["since"] for row in self.rows().values()}

    def changed(self, folder: Path, job: str, **options) -> Platform:
        """The stage with other options of a job."""
        jobs = [
            {**entry, "options": options} if entry["name"] == job else entry
            for entry in AS_IT_SHIPS["jobs"]
        ]
        (folder / "local.yml").write_text(yaml.safe_dump({**AS_IT_SHIPS, "jobs": jobs}))
        return Platform("local", self.state_home, stages=folder)

    def executor(self) -> tuple[str, int]:
        """A host that executes jobs, and the process that does."""
        for host in self.hosts("worker"):
            with contextlib.suppress(AssertionError):
                found = self.on(host, "pgrep -f CoarseGrainedExecutorBackend").split()
                return host, int(found[0])
        raise AssertionError("no worker has an executor")

    def ask_oracle(self) -> str:
        said = self.make("oracle").text
        print(said)
        assert re.search(r"^[1-9]\d* compared, 0 missing, 0 wrong, 0 extra$", said, re.MULTILINE)
        return said

    @contextlib.contextmanager
    def stays_right(self, fault: str):
        """Every job resumes by itself after what is done inside; nothing is lost or invented."""
        before = self.batches()
        assert set(before) == NAMES
        yield

        def resumed() -> bool:  # one batch may have been under way already
            now = self.batches()
            return all(now.get(name, -1) > number + 1 for name, number in before.items())

        _, took = wait_until(
            resumed,
            seconds=RESUME_S,
            what=f"every job has completed two more batches after {fault}",
        )
        print(f"{fault}: every job has completed two more batches after {took:.0f} s")
        self.ask_oracle()


@pytest.fixture(scope="module")
def jobs(state_home, nothing_is_left_behind):
    platform = Jobs("local", state_home)
    # Other tests leave recordings behind that are from years to come: all else would be late.
    platform.purge()
    platform.make("deploy")
    wait_until(platform.all_run, seconds=240, what="every job has completed a batch")
    yield platform
    platform.zookeeper.stop()


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


def test_planted_emergency_stops_are_found_and_no_others(jobs, tmp_path):
    """By a second fleet, whose truth is known; its vehicles have numbers of their own."""
    numbers = ("--vehicles", "60", "--first", str(FIRST_VEHICLE), "--seconds", "90")
    flags = (*numbers, "--emergency-stops", "120", "--seed", str(random.randrange(1 << 30)))
    mqtt = f"{jobs.addresses['store-1']}:1883"
    truth = tmp_path / "truth"
    began_ms = time.time() * 1000
    with Reader(",".join(jobs.brokers()), topics=("analytics.emergency-stop",)) as reader:
        process = simulator("--mqtt", mqtt, "--client-id", "stops", *flags, "--truth", str(truth))
        assert process.wait(timeout=180) == 0
        lines = (truth / "emergency-stops.jsonl").read_text().splitlines()
        planted = {(one["vehicle"], one["ended_ms"]) for one in map(json.loads, lines)}

        def found() -> set[tuple[int, int]]:
            stops = (row.decoded.details for row in reader.rows())
            return {
                (stop.vehicle, stop.ended.ToMilliseconds())
                for stop in stops
                if stop.vehicle >= FIRST_VEHICLE
            }

        # The order of a vehicle's last seconds is not settled while it says no more.
        settled = {stop for stop in planted if stop[1] < began_ms + 80_000}
        assert len(settled) > 10
        wait_until(lambda: settled <= found(), seconds=120, what="every planted stop is found")
        assert found() <= planted
    print(f"{len(planted)} emergency stops planted, all found, none invented")


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


def test_a_killed_driver_is_replaced(jobs):
    host = jobs.driver()
    with jobs.stays_right("kill -9 of the driver"):
        pid = jobs.on(host, "pgrep -f org.apache.spark.deploy.SparkSubmit").split()[0]
        jobs.on(host, f"kill -9 {pid}")
        wait_until(
            lambda: jobs.driver() not in (None, host), seconds=20, what="another host drives"
        )


def test_a_killed_executor_is_replaced(jobs):
    host, process = jobs.executor()
    with jobs.stays_right("kill -9 of an executor"):
        jobs.on(host, f"kill -9 {process}")


def test_jobs_go_on_without_the_leading_master(jobs):
    leader, _ = wait_until(jobs.leader, seconds=60, what="a master leads")
    with jobs.stays_right("kill -9 of the leading master"):
        jobs.on(leader, f"kill -9 {jobs.main_process(leader, 'spark-master')}")


def test_jobs_go_on_when_their_worker_host_loses_power(jobs):
    host, _ = jobs.executor()
    with jobs.stays_right("power cut of a worker host"):
        jobs.cut_power(host)


def test_another_host_drives_when_the_one_that_does_loses_power(jobs):
    host = jobs.driver()
    with jobs.stays_right("power cut of the host that drives"):
        jobs.cut_power(host)
        _, took = wait_until(
            lambda: jobs.driver() not in (None, host), seconds=20, what="another host drives"
        )
        print(f"another host drove after {took:.1f} s")


def test_a_change_that_a_checkpoint_does_not_fit_is_refused_and_nothing_is_stopped(jobs, tmp_path):
    """By the deploy that makes the lost hosts anew, before it comes to the jobs."""
    before = jobs.since()
    said = jobs.changed(tmp_path, "flow-direction", resolution=8).make("deploy", expect=1).text
    assert "flow-direction: its checkpoint was made with other settings (resolution" in said
    assert jobs.since() == before


def test_a_deploy_with_a_changed_job_restarts_that_job_alone_from_its_checkpoint(jobs, tmp_path):
    wait_until(jobs.all_run, seconds=RESUME_S, what="every job runs")
    before = jobs.since()
    batch = jobs.batches()["flow-direction"]
    assert "passed" in jobs.changed(tmp_path, "flow-direction", early="1m").make("deploy").text
    after = jobs.since()
    assert {name for name in NAMES if after[name] != before[name]} == {"flow-direction"}
    assert jobs.batches()["flow-direction"] > batch
    wait_until(jobs.caught_up, seconds=240, what="the backlog is worked off")
    jobs.ask_oracle()
