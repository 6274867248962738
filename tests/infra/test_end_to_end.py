"""The parts work together: a record goes through Kafka, a job through Spark and the bucket."""

import uuid
from pathlib import Path

import pytest
from deployed import targets, topology
from kafka import KafkaConsumer, KafkaProducer

testinfra_hosts = targets("spark_master")[:1]

PROBE = "input.dead-letter"

JOB = (Path(__file__).parent / "spark_probe.py").read_text()


def test_a_record_that_was_acknowledged_is_read_back(bootstrap, declared):
    if PROBE not in {topic.name for topic in declared.topics}:
        pytest.skip(f"the stage declares no topic {PROBE}")
    key = uuid.uuid4().hex.encode()
    producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all", enable_idempotence=True)
    written = producer.send(PROBE, key=key, value=b"probe").get(timeout=20)
    producer.close()
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, consumer_timeout_ms=20_000)
    consumer.assign([written.topic_partition])
    consumer.seek(written.topic_partition, written.offset)
    record = next(consumer)
    consumer.close()
    assert (record.key, record.value) == (key, b"probe")


def test_a_job_runs_on_the_cluster_and_writes_and_reads_the_bucket(host):
    place = f"s3a://{topology().bucket.name}/probe/{uuid.uuid4().hex}"
    host.run("cat > /tmp/probe.py <<'JOB'\n" + JOB + "\nJOB")
    # 480 MiB is what Spark insists on; the master on the same host needs the rest.
    options = "--driver-memory 480m --conf spark.cores.max=2 --conf spark.executor.cores=2"
    submitted = host.run(f"spark-submit {options} /tmp/probe.py %s", place)
    assert "PROBE 499500" in submitted.stdout, submitted.stderr[-3000:]
