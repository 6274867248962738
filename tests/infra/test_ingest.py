"""Every ingest host takes its share, and a message that is published ends as an event in Kafka."""

import re
import time
import uuid

import pytest
import requests
from deployed import stage, targets, topology, with_role
from kafka import KafkaConsumer, TopicPartition

testinfra_hosts = targets("ingest")

HFP = next((entry for entry in stage().ingest if entry.processor["name"] == "hfp"), None)


def metric(address: str, port: int, name: str) -> float:
    text = requests.get(f"http://{address}:{port}/metrics", timeout=10).text
    lines = re.findall(rf"^streambed_ingest_{name}(?:\{{.*\}})? (\S+)$", text, re.MULTILINE)
    assert lines, f"{name} is not among the metrics:\n{text}"
    return sum(map(float, lines))


def test_every_ingestion_serves_its_metrics_on_its_own_address_only(listening, me, declared):
    for entry in declared.ingest:
        assert f"{me.address}:{entry.metrics_port}" in listening
        assert metric(me.address, entry.metrics_port, "received_total") >= 0
        assert metric(me.address, entry.metrics_port, "lag_seconds_count") >= 0


def test_the_keys_of_the_bucket_are_nobody_elses(host, declared):
    for entry in declared.ingest:
        environment = host.file(f"/etc/ingest/{entry.name}.environment")
        assert (environment.user, environment.group, environment.mode) == ("root", "root", 0o640)


@pytest.mark.skipif(not with_role("fleet"), reason="the stage has no simulated fleet")
def test_it_takes_its_share_of_the_fleet(me):
    before = metric(me.address, HFP.metrics_port, "acknowledged_total")
    deadline = time.monotonic() + 20
    while metric(me.address, HFP.metrics_port, "acknowledged_total") == before:
        assert time.monotonic() < deadline, "nothing has been acknowledged for 20 s"
        time.sleep(0.5)


@pytest.mark.skipif(
    HFP is None or HFP.connector["name"] != "mqtt" or not with_role("mqtt_broker"),
    reason="the stage does not ingest HFP from a broker of its own",
)
def test_a_published_message_is_an_event_in_kafka(me, bootstrap):
    if me != with_role("ingest")[0]:
        return  # whoever takes it, it is one path
    from paho.mqtt import publish
    from paho.mqtt.client import MQTTv5

    consumer = KafkaConsumer(bootstrap_servers=bootstrap, consumer_timeout_ms=1000)
    topic = "input.vehicle-position"
    consumer.assign([TopicPartition(topic, p) for p in consumer.partitions_for_topic(topic)])
    consumer.seek_to_end()
    for partition in consumer.assignment():
        consumer.position(partition)  # the end is looked up now, and not when it is read
    mark = f"probe {uuid.uuid4().hex[:8]}"
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    publish.single(
        f"/hfp/v2/journey/ongoing/vp/bus/9999/99999/probe/1/{mark}/00:00/EOL/0////",
        f'{{"VP":{{"tst":"{now}","spd":null}}}}',
        qos=1,
        hostname=with_role("mqtt_broker")[0].address,
        protocol=MQTTv5,
    )
    deadline, found = time.monotonic() + 20, None
    while found is None and time.monotonic() < deadline:
        found = next((record for record in consumer if mark.encode() in record.value), None)
    consumer.close()
    assert found is not None, f"the message did not arrive in {topic} of {topology().stage}"
    assert found.key == b"9999/99999"
    assert dict(found.headers)["wire"] == stage().wire.encode()
