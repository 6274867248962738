"""The command line of ingestion. Exit code 2 means that what was asked for is wrong; 1 that it
failed; 0 that it ended as it should, also by SIGTERM."""

import argparse
import gc
import logging
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import yaml

from streambed.ingest import config
from streambed.ingest.metrics import Metrics
from streambed.ingest.registry import make_connector, make_processor
from streambed.options import OptionError, construct

log = logging.getLogger("streambed.ingest")


def main(arguments: list[str] | None = None) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    for library in ("botocore", "kafka"):
        logging.getLogger(library).setLevel(logging.WARNING)
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except OptionError as error:
        print(error, file=sys.stderr)
        return 2
    except Exception as error:
        from streambed.ingest.failures import sentence_about

        if (sentence := sentence_about(error)) is None:
            raise
        print(sentence, file=sys.stderr)
        return 1


def run(options: argparse.Namespace) -> int:
    from streambed.ingest.pipeline import Pipeline
    from streambed.producer import make_producer

    settings = _config(options)
    connector = make_connector(settings.connector.name, settings.connector.options)
    processor = make_processor(settings.processor.name, settings.processor.options)
    producer = make_producer(settings.kafka.bootstrap, settings.kafka.tuning)
    metrics = Metrics()
    if settings.metrics is not None:
        metrics.serve(settings.metrics.port, settings.metrics.address)
    pipeline = Pipeline(
        connector,
        processor,
        producer,
        wire=settings.wire,
        dead_letter_topic=settings.dead_letter_topic,
        metrics=metrics,
    )
    stop = stop_on_signals()
    spare_the_collector()
    pipeline.run(stop)
    log.info(
        "Received %d, produced %d, dropped %d, dead-lettered %d; Kafka acknowledged %d.",
        metrics.received,
        metrics.produced.total(),
        metrics.dropped.total(),
        metrics.dead_lettered.total(),
        metrics.acknowledged,
    )
    return 0


def check(options: argparse.Namespace) -> int:
    """Whether `run` would start: everything is made, nothing is opened."""
    settings = config.load(options.config)
    make_connector(settings.connector.name, settings.connector.options)
    make_processor(settings.processor.name, settings.processor.options)
    return 0


def record(options: argparse.Namespace) -> int:
    from streambed.ingest.recorder import Recorder

    name, connector_options = _named(options.connector, options.option)
    recorder = construct(
        Recorder,
        {
            "to": options.to,
            "rotate_seconds": options.rotate_seconds,
            "rotate_bytes": options.rotate_bytes,
            "compression": options.compression,
            "spool": options.spool,
        },
        where="record",
    )
    recorder.run(make_connector(name, connector_options), stop_on_signals())
    log.info("Recorded %d messages to %s.", recorder.recorded, options.to)
    return 0


def simulate(options: argparse.Namespace) -> int:
    from streambed.ingest.simulator.command import simulate as start

    return start(options, stop_on_signals())


def bench(options: argparse.Namespace) -> int:
    from streambed.ingest.bench import bench as start

    return start(options)


def spare_the_collector() -> None:
    """Look for garbage less often: messages make no cycles, and looking costs one part in twenty.
    What exists by now stays for good and is not looked at again."""
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


def stop_on_signals() -> threading.Event:
    """An event that SIGTERM and SIGINT set; a second one ends the process at once."""
    stop = threading.Event()

    def ask_to_stop(number: int, _: Any) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, ask_to_stop)
    return stop


def _config(options: argparse.Namespace) -> config.Config:
    """The configuration file, with what the command line says in addition."""
    data: dict[str, Any] = {}
    where = "command line"
    if options.config is not None:
        config.load(options.config)  # tell what is wrong with the file as the file's mistake
        data, where = yaml.safe_load(options.config.read_text()), str(options.config)
    if options.connector is not None:
        name, extra = _named(options.connector, options.option)
        data["connector"] = {"name": name, **extra}
    elif options.option:
        raise OptionError("command line: --option belongs to a --connector; name it.")
    if options.processor is not None:
        data["processor"] = {"name": options.processor}
    if options.bootstrap is not None:
        kafka = data.get("kafka") or {}
        data["kafka"] = {**kafka, "bootstrap": options.bootstrap}
    if options.wire is not None:
        data["wire"] = options.wire
    if options.metrics_port is not None:
        data["metrics"] = {"port": options.metrics_port}
    if not data:
        raise OptionError("Say what to run: --config FILE, or --connector, --processor and so on.")
    return config.parse(data, where=where)


def _named(name: str, pairs: list[str]) -> tuple[str, dict[str, Any]]:
    options = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise OptionError(f"command line: --option must be NAME=VALUE; found {pair!r}.")
        try:
            options[key] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise OptionError(f"command line: --option {key}: not valid YAML: {value}.") from error
    return name, options


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m streambed.ingest", description="From a source of messages into Kafka."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("run", help="take messages from a connector into Kafka")
    command.set_defaults(command=run)
    command.add_argument("--config", type=Path, metavar="FILE", help="YAML; flags override it")
    _add_connector(command, required=False)
    command.add_argument("--processor", metavar="NAME", help="hfp, or an entry point's name")
    command.add_argument("--bootstrap", metavar="HOST:PORT,…", help="Kafka's brokers")
    command.add_argument("--wire", metavar="MODE", help="binary or json")
    command.add_argument("--metrics-port", type=int, metavar="PORT", help="on 127.0.0.1")

    command = commands.add_parser("check", help="tell whether a configuration can be run")
    command.set_defaults(command=check)
    command.add_argument("--config", type=Path, required=True, metavar="FILE")

    command = commands.add_parser("record", help="write what a connector delivers to files")
    command.set_defaults(command=record)
    _add_connector(command, required=True)
    command.add_argument("--to", required=True, metavar="PLACE", help="directory or s3://…/")
    command.add_argument("--rotate-seconds", type=float, default=3600.0, metavar="N")
    command.add_argument("--rotate-bytes", type=int, default=1 << 30, metavar="N")
    command.add_argument("--compression", default="zst", metavar="zst|gz")
    command.add_argument(
        "--spool",
        default="/var/tmp/streambed-recorder",
        metavar="DIRECTORY",
        help="where files for a bucket grow",
    )

    command = commands.add_parser("simulate", help="publish a made-up fleet to MQTT or a file")
    command.set_defaults(command=simulate)
    from streambed.ingest.simulator.arguments import add_arguments

    add_arguments(command)

    command = commands.add_parser("bench", help="measure events per second on one core")
    command.set_defaults(command=bench)
    command.add_argument("--bootstrap", required=True, metavar="HOST:PORT,…")
    command.add_argument("--runs", type=int, default=5, metavar="N")
    command.add_argument("--messages", type=int, default=500_000, metavar="N", help="per run")
    command.add_argument("--wire", default="binary", choices=["binary", "json"])
    command.add_argument("--compression", default="zstd", choices=["lz4", "zstd"])
    return parser


def _add_connector(command: argparse.ArgumentParser, *, required: bool) -> None:
    command.add_argument(
        "--connector",
        required=required,
        metavar="NAME",
        help="mqtt, recording, console, or an entry point's name",
    )
    command.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the connector; the value is YAML",
    )
