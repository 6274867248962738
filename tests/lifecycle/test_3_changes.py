"""A changed stage file is applied with care: rolled through, or refused before anything breaks."""

from pathlib import Path

import pytest
import yaml
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from platform_under_test import REPO, Platform
from test_2_faults import SteadyWriter, all_in_sync, records
from waiting import wait_until

LOCAL = yaml.safe_load((REPO / "inventories" / "local.yml").read_text())


@pytest.fixture
def changed(local, tmp_path):
    """The deployed stage with another stage file: `changed(kafka={…})`."""

    def change(**keys) -> Platform:
        stages = Path(tmp_path)
        (stages / "local.yml").write_text(yaml.safe_dump({**LOCAL, **keys}))
        return Platform("local", local.state_home, stages=stages)

    return change


@pytest.fixture
def admin(local):
    client = KafkaAdminClient(bootstrap_servers=local.brokers())
    yield client
    client.close()


def topics(**changes) -> list[dict]:
    """The topics of the local stage, the first of them changed."""
    first, *rest = LOCAL["topics"]
    return [{**first, **changes}, *rest]


def test_more_partitions_and_another_retention_are_applied(changed, admin):
    name = LOCAL["topics"][0]["name"]
    changed(topics=topics(partitions=8, retention="9h")).make("deploy")
    (described,) = admin.describe_topics([name])
    assert len(described["partitions"]) == 8
    configs = admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name)])
    assert str(9 * 3600 * 1000) in str(configs)


def test_fewer_partitions_are_refused_with_a_sentence(changed, admin):
    said = changed(topics=topics(partitions=2)).make("deploy", expect=1).text
    assert LOCAL["topics"][0]["name"] in said
    assert "8" in said
    assert "2" in said
    (described,) = admin.describe_topics([LOCAL["topics"][0]["name"]])
    assert len(described["partitions"]) == 8


def test_a_changed_setting_rolls_through_the_brokers_while_records_flow(local, changed):
    wait_until(lambda: all_in_sync(local), seconds=60, what="every replica is in sync")
    hosts = local.hosts("kafka")
    before = {host: local.main_process(host, "kafka") for host in hosts}
    keys = {**LOCAL["kafka"], "min_insync_replicas": 1}
    with SteadyWriter(local.brokers()) as writer:
        changed(kafka=keys, topics=topics(partitions=8)).make("deploy")
    after = {host: local.main_process(host, "kafka") for host in hosts}
    assert all(before[host] != after[host] for host in hosts)
    assert not writer.refused
    assert set(writer.acknowledged) <= records(local.brokers(), writer.run)


def test_a_changed_session_timeout_rolls_through_zookeeper_and_leaves_kafka_alone(local, changed):
    hosts = local.hosts("kafka")
    before = {host: local.main_process(host, "zookeeper") for host in hosts}
    brokers = {host: local.main_process(host, "kafka") for host in hosts}
    keys = {**LOCAL["kafka"], "min_insync_replicas": 1}
    changed(
        kafka=keys,
        topics=topics(partitions=8),
        zookeeper={"max_session_timeout_ms": 6000},
    ).make("deploy")
    assert all(local.main_process(host, "zookeeper") != before[host] for host in hosts)
    assert {host: local.main_process(host, "kafka") for host in hosts} == brokers
