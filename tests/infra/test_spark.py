"""One Spark master leads, the others wait, and every worker is registered with the leader."""

import pytest
import requests
from deployed import stage, targets, with_role

testinfra_hosts = targets("spark_master") + targets("spark_worker")


@pytest.fixture(scope="module")
def masters():
    """What each master says of itself, by host name."""
    return {
        host.name: requests.get(f"http://{host.address}:8080/json/", timeout=10).json()
        for host in with_role("spark_master")
    }


@pytest.fixture(scope="module")
def leader(masters):
    (alive,) = [state for state in masters.values() if state["status"] == "ALIVE"]
    return alive


def test_it_listens_on_its_own_address_only(listening, me):
    for role, port in (("spark_master", 7077), ("spark_worker", 7078)):
        if role in me.roles:
            assert f"{me.address}:{port}" in listening


def test_it_runs_the_version_of_the_stage(unit, me, declared):
    name = "spark-master" if "spark_master" in me.roles else "spark-worker"
    command = unit(name)["ExecStart"]
    assert f"/opt/streambed/spark-{declared.spark.version}/" in command


def test_the_rest_api_is_off(listening):
    assert not [at for at in listening if at.endswith(":6066")]


def test_one_master_is_alive_and_the_others_stand_by(masters):
    states = sorted(state["status"] for state in masters.values())
    assert states == ["ALIVE"] + ["STANDBY"] * (len(states) - 1)


def test_every_worker_is_registered_with_its_cores(leader):
    registered = {w["host"]: w["cores"] for w in leader["workers"] if w["state"] == "ALIVE"}
    assert registered == {host.address: host.cores for host in with_role("spark_worker")}


def test_workers_offer_memory_that_their_hosts_have(leader):
    offered = {w["host"]: w["memory"] for w in leader["workers"]}
    for host in with_role("spark_worker"):
        assert 256 <= offered[host.address] < host.memory_mib


def test_credentials_of_the_bucket_are_for_spark_only(host):
    if stage().with_role("object_store"):
        defaults = host.file("/etc/spark/spark-defaults.conf")
        assert (defaults.user, defaults.group) == ("root", "spark")
        assert defaults.mode & 0o007 == 0
