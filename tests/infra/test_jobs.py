"""Every application has one driver and hosts that wait, and every wanted job runs."""

import json
import time

import pytest
import requests
from deployed import stage, targets, with_role

testinfra_hosts = targets("job")

PATIENCE_S = 240  # for a driver that has just been replaced


@pytest.fixture
def listed(host):
    """What this host says of every application, by name."""

    def look():
        told = json.loads(host.check_output("streambed-jobs list"))
        return {application["application"]: application for application in told}

    return look


def port(application: str) -> int:
    return 9120 + stage().applications().index(application)


def test_every_application_has_one_driver_and_the_other_hosts_wait(listed):
    hosts = sorted(host.name for host in with_role("job"))
    found = listed()
    assert set(found) == set(stage().applications())
    for name, application in found.items():
        assert application["driver"], f"nobody drives {name}"
        assert sorted([application["driver"]["host"], *application["waiting"]]) == hosts


def test_every_wanted_job_runs(listed):
    deadline = time.monotonic() + PATIENCE_S
    wanted = {job.name for job in stage().jobs}
    while True:
        jobs = [job for application in listed().values() for job in application["jobs"]]
        unwell = [f"{job['name']}: {job}" for job in jobs if job["state"] != job["wanted"]]
        if not unwell:
            break
        assert time.monotonic() < deadline, unwell
        time.sleep(2)
    assert {job["name"] for job in jobs} == wanted


def test_the_driver_alone_serves_metrics_and_on_its_own_address_only(host, me, listed):
    listening = {line.split()[3] for line in host.check_output("ss -Hltn").splitlines()}
    for name, application in listed().items():
        drives = application["driver"]["host"] == me.name
        places = {place for place in listening if place.endswith(f":{port(name)}")}
        assert places == ({f"{me.address}:{port(name)}"} if drives else set()), name
        if drives:
            text = requests.get(f"http://{me.address}:{port(name)}/metrics", timeout=10).text
            for job in application["jobs"]:
                assert f'streambed_job_up{{job="{job["name"]}"}}' in text


def test_one_jvm_drives_and_no_host_that_waits_has_one(host, me, listed):
    for name, application in listed().items():
        drives = application["driver"]["host"] == me.name
        command = f"systemctl show --property=ControlGroup --value job-{name}"
        group = host.check_output(command)
        pids = host.check_output(f"cat /sys/fs/cgroup{group}/cgroup.procs").split()
        commands = [host.file(f"/proc/{pid}/cmdline").content_string for pid in pids]
        assert sum("org.apache.spark.deploy.SparkSubmit" in each for each in commands) == drives


def test_the_configuration_is_sparks_only_and_names_files_that_are_there(host, declared):
    for name in declared.applications():
        config = host.file(f"/etc/jobs/{name}.yml")
        assert (config.user, config.group, config.mode) == ("root", "spark", 0o640)
    files = host.check_output("ls /usr/local/lib/streambed-jobs").split()
    for job in declared.jobs:
        assert [file for file in files if file.startswith(f"{job.name}-")], job.name


def test_the_host_says_that_it_is_well(host, declared):
    for name in declared.applications():
        said = host.check_output(f"streambed-health --wait {PATIENCE_S} job-{name}")
        assert "drives" in said
