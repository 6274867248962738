import pytest
from rendering import Host

SERVER = "kafka/templates/any/etc/kafka/server.properties.j2"
UNIT = "kafka/templates/any/etc/systemd/system/kafka.service.j2"

both = pytest.mark.parametrize("metadata", ["kraft", "zookeeper"])


def test_the_first_brokers_are_the_controllers():
    server = Host("kafka-3").properties(SERVER)
    assert server["process.roles"] == "broker,controller"
    assert server["controller.quorum.voters"] == "1@10.0.5.1:9093,2@10.0.5.2:9093,3@10.0.5.3:9093"
    assert server["listeners"] == "PLAINTEXT://10.0.5.3:9092,CONTROLLER://10.0.5.3:9093"


def test_the_other_brokers_only_know_the_controllers():
    server = Host("kafka-4").properties(SERVER)
    assert server["process.roles"] == "broker"
    assert server["listeners"] == "PLAINTEXT://10.0.5.4:9092"
    assert server["controller.quorum.voters"].count("@") == 3


def test_with_zookeeper_there_is_no_controller_to_name():
    server = Host("kafka-2", metadata="zookeeper").properties(SERVER)
    assert server["broker.id"] == "2"
    assert server["zookeeper.connect"].endswith("10.0.5.5:2181/kafka")
    assert not {"node.id", "process.roles", "controller.quorum.voters"} & server.keys()
    assert not any(key.startswith("share.coordinator") for key in server)


@both
def test_what_is_acknowledged_survives_any_one_broker(metadata):
    server = Host("kafka-1", metadata=metadata).properties(SERVER)
    replicas = [value for key, value in server.items() if key.endswith("replication.factor")]
    minimums = [
        value for key, value in server.items() if key.endswith(("min.isr", "min.insync.replicas"))
    ]
    assert set(replicas) == {"3"}
    assert set(minimums) == {"2"}
    assert server["unclean.leader.election.enable"] == "false"
    assert server["auto.create.topics.enable"] == "false"


@both
def test_a_broker_is_told_by_its_identity(metadata):
    server = Host("kafka-2", metadata=metadata).properties(SERVER)
    assert server["broker.rack"] == "b"
    assert server["advertised.listeners"] == "PLAINTEXT://10.0.5.2:9092"
    assert server["log.dirs"] == "/var/lib/streambed/kafka"


@both
def test_the_unit_runs_the_version_of_the_stage(metadata):
    version = {"kraft": "4.3.1", "zookeeper": "3.9.2"}[metadata]
    assert f"-cp /opt/streambed/kafka-{version}/lib/*" in Host("kafka-1", metadata=metadata).file(
        UNIT
    )


def test_the_heap_leaves_room_for_zookeeper_and_the_page_cache():
    broker = Host("kafka-1")
    heap, share = broker.variable("kafka_heap_mib"), broker.variable("zookeeper_share_mib")
    assert heap + share < 0.65 * broker.host["memory_mib"]
    assert f"-Xmx{heap}m" in broker.file(UNIT)


def test_topics_follow_the_stage():
    assert Host("kafka-1").variable("kafka_topics") == [
        {
            "name": "t",
            "partitions": 6,
            "replication": 3,
            "config": {
                "cleanup.policy": "compact",
                "retention.ms": 60000,
                "min.insync.replicas": 2,
            },
        }
    ]
