"""The parts work together: a record goes through Kafka, a job through Spark and the bucket."""

import uuid

import pytest
from deployed import targets, topology, with_role
from kafka import KafkaConsumer, KafkaProducer

testinfra_hosts = targets("spark_master")[:1]

PROBE = "input.dead-letter"

JOB = """
import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.appName("probe").getOrCreate()
path = sys.argv[1]
spark.range(0, 1000, 1, 4).write.mode("overwrite").parquet(path)
rows = spark.read.parquet(path)
total = rows.mapInArrow(lambda batches: batches, rows.schema).groupBy().sum().first()[0]
hosts = spark.sparkContext.parallelize(range(8), 8).map(lambda _: __import__("socket").gethostname())
print("PROBE", total, ",".join(sorted(set(hosts.collect()))))
jvm = spark.sparkContext._jvm
place = jvm.org.apache.hadoop.fs.Path(path)
place.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration()).delete(place, True)
spark.stop()
"""


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
    masters = ",".join(f"{master.address}:7077" for master in with_role("spark_master"))
    name = uuid.uuid4().hex
    submitted = host.run(
        "cat > /tmp/%s.py <<'JOB'\n%s\nJOB\n"
        "su spark -s /bin/sh -c 'SPARK_CONF_DIR=/etc/spark PYSPARK_PYTHON=/opt/streambed/python/bin/python3 "
        "/opt/streambed/spark-4.2.0/bin/spark-submit --master spark://%s --conf spark.cores.max=2 "
        "--conf spark.driver.host=%s --conf spark.driver.memory=384m --conf spark.executor.memory=512m "
        "/tmp/%s.py s3a://%s/probe/%s'; code=$?; rm /tmp/%s.py; exit $code"
        % (name, JOB, masters, with_role("spark_master")[0].address, name,
           topology().bucket.name, name, name)
    )
    assert "PROBE 499500 " in submitted.stdout, submitted.stderr[-3000:]
