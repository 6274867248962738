"""A batch is settled when Kafka has all of it, in the order of receipt, and never before."""

import threading

import pytest
from fakes import FakeConnector, FakeProducer
from hfp_examples import RECEIVED_MS, TRAM_TOPIC, message
from streambed.events.codec import decode, wire_mode
from streambed.ingest.hfp.processor import HfpProcessor
from streambed.ingest.messages import RawMessage
from streambed.ingest.pipeline import DeliveryFailed, Pipeline

GARBAGE = RawMessage(TRAM_TOPIC, b"\xff\x00", RECEIVED_MS)


def positions(count: int, second: int = 0) -> list[RawMessage]:
    return [message(tst=f"2020-09-21T03:00:{second:02d}.{ms:03d}Z") for ms in range(count)]


def run(connector, producer=None, stop=None, **options):
    producer = FakeProducer() if producer is None else producer
    pipeline = Pipeline(connector, HfpProcessor(), producer, **options)
    pipeline.run(stop or threading.Event())
    return pipeline, producer


def test_everything_arrives_and_is_settled_in_order():
    connector = FakeConnector(positions(3), positions(2, second=1))
    pipeline, producer = run(connector)
    assert len(producer.records) == 5
    assert connector.settled == connector.batches
    assert connector.closed
    assert pipeline.metrics.acknowledged == pipeline.metrics.settled == 5


@pytest.mark.parametrize("wire", ["binary", "json"])
def test_records_tell_their_wire_mode_and_when_they_were_received(wire):
    _, producer = run(FakeConnector(positions(1)), wire=wire)
    (record,) = producer.records
    assert wire_mode(record["headers"].items()) == wire
    event, details = decode(record["value"], wire)
    assert details.vehicle == 456
    assert event.ingestion_timestamp.ToMilliseconds() == RECEIVED_MS


def test_nothing_is_settled_before_kafka_has_it():
    connector = FakeConnector(positions(2))
    run(connector, FakeProducer(patient=True), drain_seconds=0.05)
    assert connector.settled == []
    assert connector.closed


def test_a_batch_waits_for_the_one_before_it():
    connector = FakeConnector(positions(2), [message(tst="2020-09-21T03:00:00.000Z")])
    producer = FakeProducer(patient=True)
    pipeline = Pipeline(connector, HfpProcessor(), producer)
    stop = threading.Event()
    for batch in connector.batches:
        pipeline._take(batch, stop)
    # The second holds a duplicate only, and so nothing that Kafka would have to acknowledge.
    pipeline._settle()
    assert connector.settled == []
    producer.acknowledge()
    pipeline._settle()
    assert connector.settled == connector.batches


def test_a_batch_is_settled_only_when_its_last_record_is_acknowledged():
    connector = FakeConnector(positions(3))
    producer = FakeProducer(patient=True)
    pipeline = Pipeline(connector, HfpProcessor(), producer)
    pipeline._take(connector.batches[0], threading.Event())
    producer.acknowledge(2)
    pipeline._settle()
    assert connector.settled == []
    producer.acknowledge(1)
    pipeline._settle()
    assert connector.settled == connector.batches


def test_full_buffers_slow_the_source_and_drop_nothing():
    connector = FakeConnector(positions(500), positions(500, second=1))
    _, producer = run(connector, FakeProducer(room=10))
    assert len(producer.records) == 1000
    assert producer.most == 10
    assert connector.settled == connector.batches


def test_a_stop_while_kafka_is_away_leaves_messages_with_the_source():
    connector = FakeConnector(positions(5))
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    run(connector, FakeProducer(room=2, patient=True), stop, drain_seconds=0.05)
    assert connector.settled == []
    assert connector.closed


def test_a_stop_waits_for_what_is_on_its_way():
    connector = FakeConnector(positions(5))
    stop = threading.Event()
    stop.set()
    connector.waiting = []
    pipeline = Pipeline(connector, HfpProcessor(), producer := FakeProducer())
    pipeline._take(connector.batches[0], threading.Event())
    pipeline.run(stop)
    assert len(producer.records) == 5
    assert connector.settled == connector.batches


def test_a_record_that_kafka_refuses_stops_ingestion_unsettled():
    connector = FakeConnector(positions(2))
    producer = FakeProducer()
    producer.fail = lambda record: True
    with pytest.raises(DeliveryFailed, match="Kafka refuses a record: the record is too large"):
        run(connector, producer)
    assert connector.settled == []
    assert connector.closed


def test_garbage_is_kept_with_its_reason_and_stops_nothing():
    connector = FakeConnector([GARBAGE, *positions(1)])
    pipeline, producer = run(connector)
    letter, record = producer.records
    assert letter["topic"] == "input.dead-letter"
    assert letter["value"] == GARBAGE.payload
    assert letter["headers"]["reason"] == b"not json"
    assert letter["headers"]["source-topic"] == TRAM_TOPIC.encode()
    assert letter["headers"]["received-at"] == b"2020-09-21T03:00:01.148Z"
    assert record["topic"] == "input.vehicle-position"
    assert pipeline.metrics.dead_lettered == {"not json": 1}
    assert connector.settled == connector.batches


def test_a_dead_letter_that_is_too_long_for_kafka_is_cut_and_says_so():
    _, producer = run(FakeConnector([RawMessage(TRAM_TOPIC, b"x" * 2_000_000, RECEIVED_MS)]))
    (letter,) = producer.records
    assert len(letter["value"]) == 900_000
    assert letter["headers"]["cut-from-bytes"] == b"2000000"


def test_dropped_messages_are_counted_by_reason_and_settled():
    connector = FakeConnector([*positions(1), *positions(1)])
    pipeline, _ = run(connector)
    assert pipeline.metrics.dropped == {"duplicate": 1}
    assert connector.settled == connector.batches


def test_the_lag_is_from_event_to_receipt():
    pipeline, _ = run(FakeConnector([message()]))
    assert pipeline.metrics.lag.sum_ms == RECEIVED_MS - 1_600_657_200_963
