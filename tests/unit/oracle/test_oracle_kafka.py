"""Topics are read by offsets, from a Kafka that librdkafka makes up."""

import pytest
from confluent_kafka import Producer
from streambed.oracle.kafka import KafkaTopics
from streambed.oracle.topics import Span


@pytest.fixture(scope="module")
def topics():
    producer = Producer({"test.mock.num.brokers": 1, "bootstrap.servers": "x", "log_level": 0})
    (broker,) = producer.list_topics(timeout=10).brokers.values()
    for number in range(300):
        producer.produce("some", b"%d" % number, b"key", number % 3, headers={"wire": b"binary"})
    producer.flush(10)
    topics = KafkaTopics(f"{broker.host}:{broker.port}")
    yield topics
    topics.close()


def test_everything_that_is_there_is_read(topics):
    spans = topics.retained("some")
    assert [spans[number] for number in range(3)] == [Span(0, 100)] * 3
    records = list(topics.read("some", spans))
    assert sorted(int(record.value) for record in records) == list(range(300))
    assert records[0].headers == [("wire", b"binary")]


def test_only_the_span_is_read_and_the_topic_can_be_read_again(topics):
    for _ in range(2):
        records = list(topics.read("some", {0: Span(10, 12), 1: Span(5, 5), 2: Span(0, 1)}))
        assert sorted((r.partition, r.offset) for r in records) == [(0, 10), (0, 11), (2, 0)]


def test_a_topic_that_does_not_exist_is_empty(topics):
    assert topics.retained("none") == {}
    assert list(topics.read("none", {})) == []
