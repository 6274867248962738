"""A changed stage file is applied with care: rolled through, or refused before anything breaks."""

import pytest
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from platform_under_test import LOCAL
from test_2_faults import SteadyWriter, all_in_sync, records
from waiting import wait_until


@pytest.fixture
def admin(local):
    client = KafkaAdminClient(bootstrap_servers=local.brokers())
    yield client
    client.close()


# A topic that only these tests declare: the stage's own must come out of them as they were.
NAME = "changes.probe"


def topics(**keys) -> list[dict]:
    return [*LOCAL["topics"], {"name": NAME, "partitions": 2, **keys}]


def described(admin) -> tuple[int, str]:
    """Partitions and retention of the probe topic."""
    (topic,) = admin.describe_topics([NAME])
    resource = ConfigResource(ConfigResourceType.TOPIC, NAME)
    configs = admin.describe_configs([resource], config_filter="all")["topic"][NAME]
    return len(topic["partitions"]), configs["retention.ms"]["value"]


def test_a_new_topic_is_made_and_more_partitions_and_another_retention_are_applied(changed, admin):
    changed(topics=topics(retention="8h")).make("deploy")
    assert described(admin) == (2, str(8 * 3600 * 1000))
    changed(topics=topics(partitions=4, retention="9h")).make("deploy")
    assert described(admin) == (4, str(9 * 3600 * 1000))


def test_fewer_partitions_are_refused_with_a_sentence(changed, admin):
    said = changed(topics=topics(partitions=2)).make("deploy", expect=1).text
    assert NAME in said
    assert "4" in said
    assert described(admin)[0] == 4


def test_a_changed_setting_rolls_through_the_brokers_while_records_flow(local, changed):
    wait_until(lambda: all_in_sync(local), seconds=60, what="every replica is in sync")
    hosts = local.hosts("kafka")
    before = {host: local.main_process(host, "kafka") for host in hosts}
    with SteadyWriter(local.brokers()) as writer:
        changed(kafka={**LOCAL["kafka"], "min_insync_replicas": 1}).make("deploy")
    after = {host: local.main_process(host, "kafka") for host in hosts}
    assert all(before[host] != after[host] for host in hosts)
    assert not writer.refused
    assert set(writer.acknowledged) <= records(local.brokers(), writer.run)


def test_a_changed_session_timeout_rolls_through_zookeeper_and_leaves_kafka_alone(local, changed):
    hosts = local.hosts("kafka")
    before = {host: local.main_process(host, "zookeeper") for host in hosts}
    brokers = {host: local.main_process(host, "kafka") for host in hosts}
    changed(
        kafka={**LOCAL["kafka"], "min_insync_replicas": 1},
        zookeeper={"max_session_timeout_ms": 6000},
    ).make("deploy")
    assert all(local.main_process(host, "zookeeper") != before[host] for host in hosts)
    assert {host: local.main_process(host, "kafka") for host in hosts} == brokers
