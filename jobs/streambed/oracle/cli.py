"""The command line of the oracle. Exit code 0 means that the jobs said what they must have said;
1 that they did not, or that something could not be read; 2 that what was asked for is wrong."""

import argparse
import gc
import sys
import time

from botocore.exceptions import BotoCoreError, ClientError

from streambed.oracle.beside import ObjectsBeside, TopicsBeside
from streambed.oracle.check import JOBS, check
from streambed.oracle.errors import Failed, Wrong
from streambed.oracle.kafka import KafkaTopics
from streambed.oracle.objects import BucketObjects, Objects
from streambed.oracle.report import last_line, lines_about
from streambed.oracle.since import since_ms
from streambed.oracle.topics import Topics


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    # Millions of small objects and no cycles among them: looking for garbage only costs time.
    gc.disable()
    try:
        objects = BucketObjects(
            options.bucket, endpoint=options.endpoint or None, region=options.region
        )
        topics = KafkaTopics(options.bootstrap)
        if options.prefix:
            objects = ObjectsBeside(objects, options.prefix)
            topics = TopicsBeside(topics, options.prefix)
        return run(topics, objects, options.job or list(JOBS), options.since)
    except Wrong as error:
        print(error, file=sys.stderr)
        return 2
    except Failed as error:
        print(error, file=sys.stderr)
        return 1
    except (BotoCoreError, ClientError) as error:
        print(f"The bucket cannot be read: {error}", file=sys.stderr)
        return 1


def run(topics: Topics, objects: Objects, jobs: list[str], since: str | None = None) -> int:
    first_ms = since_ms(since, round(time.time() * 1000)) if since else float("-inf")
    comparisons = []
    for comparison in check(topics, objects, jobs, first_ms):
        comparisons.append(comparison)
        print("\n".join(lines_about(comparison)), flush=True)
    print(last_line(comparisons))
    return 0 if all(comparison.agrees for comparison in comparisons) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m streambed.oracle",
        description="Compute anew what the jobs must have said, and compare.",
        epilog="The keys of the bucket are in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.",
    )
    parser.add_argument("--bootstrap", required=True, metavar="HOST:PORT,…", help="Kafka's brokers")
    parser.add_argument("--bucket", required=True, metavar="NAME", help="where checkpoints are")
    parser.add_argument("--endpoint", metavar="URL", help="of the object store, unless it is AWS")
    parser.add_argument("--region", metavar="NAME")
    parser.add_argument("--job", action="append", metavar="NAME", help="again for more; or all")
    parser.add_argument("--prefix", default="", help="of topics and checkpoints of a replay")
    parser.add_argument("--since", metavar="WHEN", help="2026-05-04T06:00:00Z, or 10m ago")
    return parser
