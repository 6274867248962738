"""The command line of analytics. Exit code 2 means that what was asked for is wrong; 1 that it
failed; 0 that it ended as it should, also by SIGTERM."""

import argparse
import logging
import signal
import sys
import threading
from pathlib import Path

from streambed.options import OptionError


def main(arguments: list[str] | None = None) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    for library in ("botocore", "kazoo", "py4j"):
        logging.getLogger(library).setLevel(logging.WARNING)
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except OptionError as error:
        print(error, file=sys.stderr)
        return 2


def launch(options: argparse.Namespace) -> int:
    from streambed.analytics.launcher import launch as start

    return start(options.config)


def drive(options: argparse.Namespace) -> int:
    from streambed.analytics.driver import drive as start

    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return start(options.config, stop)


def check(options: argparse.Namespace) -> int:
    """Whether every job could run, and go on from its checkpoint."""
    from streambed.analytics import settings as files
    from streambed.analytics.bucket import Bucket
    from streambed.analytics.checkpoint import Checkpoint, Incompatible

    settings = files.load(options.config)
    jobs = [entry.make() for entry in settings.jobs]
    if options.against_checkpoints:
        bucket = Bucket(**settings.bucket)
        for job in jobs:
            try:
                Checkpoint(bucket, job.name).check(job.contract())
            except Incompatible as error:
                raise OptionError(str(error)) from error
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m streambed.analytics", description="Jobs on Spark."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command, text in (
        ("launch", launch, "wait for the application's lock, then drive it with spark-submit"),
        ("drive", drive, "run the application's jobs (what spark-submit starts)"),
        ("check", check, "tell whether a configuration can be run"),
    ):
        added = commands.add_parser(name, help=text)
        added.set_defaults(command=command)
        added.add_argument("--config", type=Path, required=True, metavar="FILE")
        if command is check:
            added.add_argument("--against-checkpoints", action="store_true")
    return parser
