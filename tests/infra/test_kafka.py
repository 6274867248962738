"""The Kafka cluster is whole, spread over the zones, and set to lose nothing."""

import uuid

import pytest
import requests
from deployed import targets, topology, with_role
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, NewTopic

testinfra_hosts = targets("kafka")


@pytest.fixture
def settings(properties):
    return properties("/etc/kafka/server.properties")


def test_it_listens_on_its_own_address_only(listening, me):
    assert f"{me.address}:9092" in listening


def test_it_runs_the_version_of_the_stage(unit, declared):
    command = unit("kafka")["ExecStart"]
    assert f"/opt/streambed/kafka-{declared.kafka.version}/" in command


def test_its_id_rack_and_data_follow_its_identity(settings, me, declared):
    key = "node.id" if declared.kafka.metadata == "kraft" else "broker.id"
    assert settings[key] == str(me.number)
    assert settings["broker.rack"] == me.zone
    assert settings["log.dirs"].startswith("/var/lib/streambed/")


def test_a_record_is_acknowledged_only_when_it_cannot_be_lost(settings, declared):
    kafka = declared.kafka
    for topic in ("default", "offsets.topic", "transaction.state.log"):
        assert settings[f"{topic}.replication.factor"] == str(kafka.replication_factor)
    assert settings["min.insync.replicas"] == str(kafka.min_insync_replicas)
    assert settings["transaction.state.log.min.isr"] == str(kafka.min_insync_replicas)
    assert settings["unclean.leader.election.enable"] == "false"
    assert settings["auto.create.topics.enable"] == "false"


def test_its_metrics_are_few_and_on_its_own_address(me):
    metrics = requests.get(f"http://{me.address}:7071/metrics", timeout=10)
    lines = [line for line in metrics.text.splitlines() if not line.startswith("#")]
    assert any(line.startswith("kafka_") for line in lines)
    assert len(lines) < 1500


def test_operators_have_their_commands(host, me, declared):
    commands = "kafka-topics kafka-configs kafka-consumer-groups kafka-get-offsets"
    assert len(host.check_output(f"command -v {commands}").split()) == 4
    if me == with_role("kafka")[0]:  # a JVM each: once is enough
        topics = host.check_output("kafka-topics --list").split()
        assert {topic.name for topic in declared.topics} <= set(topics)


def test_the_cluster_has_every_broker_in_its_own_rack(admin):
    brokers = {
        broker["broker_id"]: broker["rack"] for broker in admin.describe_cluster()["brokers"]
    }
    assert brokers == {host.number: host.zone for host in with_role("kafka")}


def test_the_cluster_id_is_the_one_its_foundation_keeps(admin, declared):
    kept = admin.describe_cluster()["cluster_id"] == topology().cluster_id
    # In ZooKeeper mode Kafka draws the id itself and keeps it in ZooKeeper.
    assert kept == (declared.kafka.metadata == "kraft")


def test_topics_are_as_declared_and_fully_replicated(admin, declared):
    described = {topic["name"]: topic for topic in admin.describe_topics()}
    for topic in declared.topics:
        partitions = described[topic.name]["partitions"]
        assert len(partitions) == topic.partitions, topic.name
        for partition in partitions:
            assert len(partition["isr_nodes"]) == declared.kafka.replication_factor, topic.name


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        ("retention.ms", lambda topic, stage: str(topic.retention_ms)),
        ("cleanup.policy", lambda topic, stage: topic.cleanup),
        ("min.insync.replicas", lambda topic, stage: str(stage.kafka.min_insync_replicas)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_topics_are_configured_as_declared(admin, declared, key, wanted):
    resources = [ConfigResource(ConfigResourceType.TOPIC, topic.name) for topic in declared.topics]
    configs = admin.describe_configs(resources, config_filter="all")["topic"]
    for topic in declared.topics:
        assert configs[topic.name][key]["value"] == wanted(topic, declared)


@pytest.fixture
def probe(admin, declared):
    """A topic of its own, so that no reader of a real one ever meets a probe."""
    name = f"probe.{uuid.uuid4().hex}"
    admin.create_topics([NewTopic(name, 1, declared.kafka.replication_factor)])
    yield name
    admin.delete_topics([name])


def test_a_record_that_was_acknowledged_is_read_back(bootstrap, probe):
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all", enable_idempotence=True)
    written = producer.send(probe, key=b"key", value=b"value").get(timeout=30)
    producer.close()
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, consumer_timeout_ms=30_000)
    consumer.assign([TopicPartition(probe, written.partition)])
    consumer.seek(TopicPartition(probe, written.partition), written.offset)
    record = next(consumer)
    consumer.close()
    assert (record.key, record.value) == (b"key", b"value")
