"""The ZooKeeper ensemble is whole, bounded, and quick to notice a lost session."""

import socket

import pytest
from deployed import targets, topology, with_role

testinfra_hosts = targets("zookeeper")


def word_of(address: str, word: str) -> str:
    with socket.create_connection((address, 2181), timeout=5) as connection:
        connection.sendall(word.encode())
        return b"".join(iter(lambda: connection.recv(4096), b"")).decode()


@pytest.fixture
def settings(properties):
    return properties("/etc/zookeeper/zoo.cfg")


def test_it_listens_on_its_own_address_only(listening, me):
    assert f"{me.address}:2181" in listening
    assert f"{me.address}:3888" in listening


def test_it_is_the_version_of_the_stage(me, declared):
    assert f"version: {declared.zookeeper.version}" in word_of(me.address, "srvr")


def test_its_id_is_the_number_of_its_identity(host, me, settings):
    assert host.check_output("cat %s/myid", settings["dataDir"]) == str(me.number)
    assert settings["dataDir"].startswith("/var/lib/streambed/")


def test_its_ensemble_is_every_host_with_the_role(settings):
    peers = {key: value.split(":")[0] for key, value in settings.items() if "server." in key}
    assert peers == {f"server.{host.number}": host.address for host in with_role("zookeeper")}


def test_old_snapshots_are_purged(settings):
    assert int(settings["autopurge.purgeInterval"]) > 0


def test_sessions_end_soon_enough_for_a_spark_master_to_fail_over(settings, declared):
    assert int(settings["maxSessionTimeout"]) == declared.zookeeper.max_session_timeout_ms


def test_only_harmless_words_are_answered(me):
    assert word_of(me.address, "ruok") == "imok"
    assert "not in the whitelist" in word_of(me.address, "dump")


def test_the_ensemble_has_one_leader():
    answers = [word_of(peer.address, "srvr") for peer in topology().with_role("zookeeper")]
    modes = sorted(a.split("Mode: ")[1].split()[0] for a in answers)
    alone = len(answers) == 1
    assert modes == (["standalone"] if alone else ["follower"] * (len(answers) - 1) + ["leader"])
