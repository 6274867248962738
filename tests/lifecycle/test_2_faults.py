"""A process that is killed comes back by itself, and costs no acknowledged record."""

import threading
import time
import uuid

import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError
from waiting import wait_until

TOPIC = "input.vehicle-position"


class SteadyWriter:
    """Writes numbered records all the while and remembers which of them were acknowledged."""

    def __init__(self, brokers):
        self.run = uuid.uuid4().hex
        self.acknowledged: list[bytes] = []
        self.refused: list[BaseException] = []
        self._producer = KafkaProducer(
            bootstrap_servers=brokers,
            acks="all",
            enable_idempotence=True,
            delivery_timeout_ms=120_000,
        )
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._write)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join(timeout=60)
        self._producer.flush(timeout=120)
        self._producer.close()

    def _write(self):
        number = 0
        while not self._stop.is_set():
            value = f"{self.run}/{number}".encode()
            future = self._producer.send(TOPIC, value=value)
            future.add_callback(lambda _, value=value: self.acknowledged.append(value))
            future.add_errback(self.refused.append)
            number += 1
            time.sleep(0.01)


def records(brokers, run: str) -> set[bytes]:
    """What a writer has written, up to now: the topic itself never ends, as a fleet fills it."""
    consumer = KafkaConsumer(bootstrap_servers=brokers, consumer_timeout_ms=8000)
    partitions = [TopicPartition(TOPIC, p) for p in consumer.partitions_for_topic(TOPIC)]
    consumer.assign(partitions)
    ends = consumer.end_offsets(partitions)
    consumer.seek_to_beginning()
    found = set()
    while any(consumer.position(partition) < ends[partition] for partition in partitions):
        for batch in consumer.poll(timeout_ms=1000, max_records=5000).values():
            found |= {record.value for record in batch if record.value.startswith(run.encode())}
    consumer.close()
    return found


def all_in_sync(platform) -> bool:
    """Whether every broker is in every replica set it belongs to; no answer is a no."""
    try:
        admin = KafkaAdminClient(bootstrap_servers=platform.brokers())
        try:
            partitions = [p for topic in admin.describe_topics() for p in topic["partitions"]]
        finally:
            admin.close()
    except KafkaError:
        return False
    return all(len(p["isr_nodes"]) == len(p["replica_nodes"]) for p in partitions)


def kill(platform, host: str, unit: str) -> int:
    process = platform.main_process(host, unit)
    platform.on(host, f"kill -9 {process}")
    return process


def back_by_itself(platform, host: str, unit: str, killed: int):
    wait_until(
        lambda: platform.main_process(host, unit) not in (0, killed),
        seconds=30,
        what=f"{unit} on {host} is back",
    )


def test_another_master_leads_with_all_workers_when_the_leader_is_killed(local, record_property):
    leader, _ = wait_until(local.leader, seconds=60, what="a master leads")
    killed = kill(local, leader, "spark-master")
    _, took = wait_until(
        lambda: (new := local.leader()) and new != leader,
        seconds=10,
        what="another master leads with every worker",
    )
    record_property("failover_seconds", round(took, 1))
    print(f"Spark master failover took {took:.1f} s")
    back_by_itself(local, leader, "spark-master", killed)


@pytest.mark.parametrize("host", ["kafka-1", "kafka-2"])
@pytest.mark.parametrize("unit", ["kafka", "zookeeper"])
def test_a_killed_process_is_back_and_no_acknowledged_record_is_lost(local, host, unit):
    wait_until(lambda: all_in_sync(local), seconds=60, what="every replica is in sync")
    with SteadyWriter(local.brokers()) as writer:
        time.sleep(2)
        killed = kill(local, host, unit)
        back_by_itself(local, host, unit, killed)
        wait_until(lambda: all_in_sync(local), seconds=60, what="every replica is in sync again")
        time.sleep(1)
    assert not writer.refused
    assert len(writer.acknowledged) > 200
    assert set(writer.acknowledged) <= records(local.brokers(), writer.run)
