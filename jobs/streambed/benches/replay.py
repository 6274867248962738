"""How fast jobs work a recorded hour off: events per second of one core, all processes counted.

Runs each job by itself on a Spark of this machine, with the state, the checkpoints on the bucket
and the sink that it has on a cluster. A core is a second of CPU time of this process and all it
started, the JVM and its Python workers; what starting Spark takes is not counted.
"""

import argparse
import json
import logging
import os
import sys
import time
from pathlib import Path

from streambed.analytics import catalogue
from streambed.analytics.bucket import Bucket
from streambed.analytics.checkpoint import Checkpoint
from streambed.analytics.query import ALL_THERE_IS, JobQuery, Setting
from streambed.analytics.spark import session
from streambed.benches.hour import PREFIX

TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds() -> float:
    """Of this process and everything below it, also of those that have ended."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile, and its parent has its time
            continue
        pid = int(stat.parent.name)
        parents[pid] = int(fields[1])
        used[pid] = sum(map(int, fields[11:15])) / TICKS
    below = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in below} - below:
        below |= more
    return sum(used.get(pid, 0.0) for pid in below)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m streambed.benches.replay")
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--connectors", required=True, help="class path of Spark's connectors")
    parser.add_argument("--job", action="append", default=[])
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--wire", choices=["binary", "json"], default="binary")
    options = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    bucket = json.loads(os.environ["STREAMBED_BUCKET"])
    spark = session("replay", **_settings(options, bucket))
    spark.sparkContext.setLogLevel("ERROR")
    print(f"{'job':22} {'events':>9} {'per s of CPU':>13} {'per s of wall clock':>20}")
    for name in options.job or catalogue.bundled():
        job = catalogue.make(name, None, {})
        events, cpu, wall = _replay(spark, job, Bucket(**bucket), options)
        print(f"{name:22} {events:9,d} {events / cpu:13,.0f} {events / wall:20,.0f}", flush=True)
    spark.stop()
    return 0


def _replay(spark, job, bucket: Bucket, options: argparse.Namespace) -> tuple[int, float, float]:
    from pyspark import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[type(job).__module__])
    checkpoint = Checkpoint(bucket, f"{PREFIX}{job.name}")
    checkpoint.begin_anew()
    checkpoint.take(job.contract(), job.options(), groups=options.cores)
    query = JobQuery(
        job,
        Setting(options.bootstrap, options.wire, options.cores, PREFIX),
        checkpoint,
        trigger=ALL_THERE_IS,
        tables=getattr(job, "tables", lambda _: None)(bucket),
    )
    cpu, wall = cpu_seconds(), time.monotonic()
    running = query.start(spark)
    running.awaitTermination()
    cpu, wall = cpu_seconds() - cpu, time.monotonic() - wall
    events = sum(progress["numInputRows"] for progress in running.recentProgress)
    return events, cpu, wall


def _settings(options: argparse.Namespace, bucket: dict) -> dict[str, str]:
    manager = "org.apache.spark.internal.io.cloud.AbortableStreamBasedCheckpointFileManager"
    s3a = {
        "endpoint": bucket["endpoint"],
        "endpoint.region": bucket["region"],
        "path.style.access": "true",
        "connection.ssl.enabled": str(bucket["endpoint"].startswith("https")).lower(),
        "aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        "access.key": bucket["access_key"],
        "secret.key": bucket["secret_key"],
    }
    return {
        "spark.master": f"local[{options.cores}]",
        "spark.driver.memory": "1g",
        "spark.driver.extraClassPath": options.connectors,
        "spark.sql.shuffle.partitions": str(options.cores),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.streaming.checkpointFileManagerClass": manager,
        **{f"spark.hadoop.fs.s3a.{key}": value for key, value in s3a.items()},
    }


if __name__ == "__main__":
    sys.exit(main())
