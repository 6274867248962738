import pytest
from rendering import load

volume = load("library/data_volume.py")
storage = load("library/kafka_storage.py")

UUID = "6e76cad3-8922-5ce6-975a-8a34219a9a97"
HERE = {"device": "/dev/nvme1n1", "uuid": UUID, "host": "kafka-1"}


def test_only_an_empty_device_is_formatted():
    assert volume.must_format({}, **HERE) is True
    assert volume.must_format({"TYPE": "xfs", "UUID": UUID.upper()}, **HERE) is False


@pytest.mark.parametrize(
    "found",
    [
        {"TYPE": "xfs", "UUID": "0000"},
        {"TYPE": "ext4", "UUID": UUID},
        {"PTTYPE": "gpt"},
        {"LABEL": "somebody's"},
    ],
)
def test_a_device_with_anything_else_on_it_is_refused(found):
    with pytest.raises(volume.Refusal) as refusal:
        volume.must_format(found, **HERE)
    for word in ("kafka-1", "/dev/nvme1n1", UUID, "not touched"):
        assert word in str(refusal.value)


META = storage.parse_properties("#\n#Tue\nversion=1\ncluster.id=MkU3\nnode.id=2\n")
MINE = {"metadata": "kraft", "cluster_id": "MkU3", "node_id": 2, "host": "kafka-2"}


def test_the_brokers_own_data_is_taken_up():
    assert storage.refusal(META, **MINE) is None


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"cluster_id": "Abcd"}, "MkU3"),
        ({"node_id": 3}, "the broker 2"),
        ({"metadata": "zookeeper"}, "kafka.metadata back to kraft"),
    ],
)
def test_data_of_another_broker_is_refused(change, word):
    assert word in storage.refusal(META, **MINE | change)


def test_with_zookeeper_the_cluster_id_is_zookeepers_own():
    meta = {"version": "0", "broker.id": "2", "cluster.id": "whatever"}
    assert storage.refusal(meta, **MINE | {"metadata": "zookeeper"}) is None
