"""A recorded hour in topics of its own, beside those of the stage: `replay.input.…`.

python -m streambed.benches.hour make --bootstrap … [--recording hour.jsonl.gz]
python -m streambed.benches.hour remove --bootstrap …
"""

import argparse
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

from kafka.admin import KafkaAdminClient, NewTopic

from streambed.analytics.catalogue import bundled
from streambed.ingest import cli
from streambed.ingest.connectors.recording import RecordingConnector
from streambed.ingest.hfp.processor import JOURNEY_TOPIC, POSITION_TOPIC, STOP_TOPIC, HfpProcessor
from streambed.ingest.pipeline import Pipeline
from streambed.producer import make_producer

PREFIX = "replay."
PARTITIONS = 6
START = "2026-05-04T06:00:00Z"
DEAD_LETTERS = f"{PREFIX}input.dead-letter"
TOPICS = (
    *(f"{PREFIX}{topic}" for topic in (POSITION_TOPIC, STOP_TOPIC, JOURNEY_TOPIC)),
    DEAD_LETTERS,
    *(f"{PREFIX}analytics.{name}" for name in (*bundled(), "late")),
)


class _Beside(HfpProcessor):
    """The same work, for topics that no running job reads."""

    position_topic, stop_topic, journey_topic = topics = TOPICS[:3]


def make(options: argparse.Namespace) -> int:
    remove(options)
    admin = KafkaAdminClient(bootstrap_servers=options.bootstrap.split(","))
    admin.create_topics([NewTopic(name, PARTITIONS, -1) for name in TOPICS])
    admin.close()
    with TemporaryDirectory() as directory:
        recording = options.recording or str(Path(directory) / "hour.jsonl.zst")
        if not options.recording:
            cli.main(
                [
                    *("simulate", "--file", recording, "--start", START),
                    *("--vehicles", str(options.vehicles), "--seconds", str(options.seconds)),
                    *("--seed", str(options.seed), "--truth", options.truth),
                ]
            )
        connector = RecordingConnector(source=recording, speed=0)
        producer = make_producer(options.bootstrap)
        pipeline = Pipeline(
            connector, _Beside(), producer, wire=options.wire, dead_letter_topic=DEAD_LETTERS
        )
        pipeline.run(threading.Event())
    print(f"{pipeline.metrics.acknowledged:,} events in {PREFIX}input.*")
    return 0


def remove(options: argparse.Namespace) -> int:
    admin = KafkaAdminClient(bootstrap_servers=options.bootstrap.split(","))
    there = {topic["name"] for topic in admin.describe_topics()}
    if found := [name for name in TOPICS if name in there]:
        admin.delete_topics(found)
    admin.close()
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m streambed.benches.hour")
    commands = parser.add_subparsers(required=True)
    for name, command in (("make", make), ("remove", remove)):
        added = commands.add_parser(name)
        added.set_defaults(command=command)
        added.add_argument("--bootstrap", required=True)
    added = commands.choices["make"]
    added.add_argument("--recording", metavar="FILE", help="otherwise a fleet is simulated")
    added.add_argument("--vehicles", type=int, default=100)
    added.add_argument("--seconds", type=int, default=3600)
    added.add_argument("--seed", type=int, default=1)
    added.add_argument("--truth", metavar="DIRECTORY", default=None)
    added.add_argument("--wire", choices=["binary", "json"], default="binary")
    options = parser.parse_args()
    return options.command(options)


if __name__ == "__main__":
    sys.exit(main())
