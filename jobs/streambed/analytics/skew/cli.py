"""The command: read, compute, tell. Exit code 2 means that what was asked for is wrong, 1 that it
failed."""

import argparse
import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path

from streambed.analytics.skew import blocks, svg, table
from streambed.analytics.skew.distribution import latenesses_of, skews_of
from streambed.analytics.skew.recording import read_recording
from streambed.analytics.skew.sample import Sample
from streambed.analytics.skew.topic import KafkaSilent, read_topic
from streambed.ingest.failures import sentence_about
from streambed.options import OptionError


def main(arguments: list[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    try:
        completeness = completeness_of(options.completeness)
        _refuse_a_plot_without_a_place(options.plot)
        sample = _read(options)
        _tell(options, sample, completeness)
    except OptionError as error:
        print(error, file=sys.stderr)
        return 2
    except KafkaSilent as error:
        print(error, file=sys.stderr)
        return 1
    except Exception as error:
        if (sentence := sentence_about(error)) is None:
            raise
        print(sentence, file=sys.stderr)
        return 1
    return 0


def completeness_of(text: str) -> Decimal:
    """Percent; `99.90` is the same as `99.9`."""
    try:
        percent = Decimal(text.strip().removesuffix("%").strip())
    except InvalidOperation:
        percent = Decimal("NaN")
    if percent.is_nan() or not 0 < percent <= 100:
        raise OptionError(f"COMPLETENESS: must be above 0 and at most 100 percent; found {text!r}.")
    return Decimal(f"{percent.normalize():f}")


def _read(options: argparse.Namespace) -> Sample:
    if options.file:
        return read_recording(options.file, topic=options.topic or None, since=options.since)
    if not options.topic:
        raise OptionError(
            "Say what to analyse: TOPIC=input.vehicle-position of a deployed stage,"
            " or FILE=hour.jsonl.gz, a recording."
        )
    if options.newest < 1:
        raise OptionError(f"--newest: must be at least 1; found {options.newest}.")
    if not options.bootstrap:
        raise OptionError("A topic needs --bootstrap, the brokers to read it from.")
    return read_topic(options.bootstrap, options.topic, since=options.since, newest=options.newest)


def _tell(options: argparse.Namespace, sample: Sample, completeness: Decimal) -> None:
    name = options.file or options.topic
    left_out = ", ".join(f"{count:,} {reason}" for reason, count in sample.left_out.most_common())
    if not sample.arrivals:
        since = f" since {options.since}" if options.since else ""
        raise OptionError(
            f"{name} holds no record to analyse{since}" + (f"; {left_out}." if left_out else ".")
        )
    skew, lateness = skews_of(sample.arrivals), latenesses_of(sample.arrivals)
    bound_ms = skew.percentile(completeness)
    print(f"{name}: {len(skew):,} records; left out: {left_out or 'none'}.")
    for note in sample.notes:
        print(note)
    for part in (table.lines(skew, lateness, completeness), blocks.lines(skew, bound_ms)):
        print("", *part, sep="\n")
    print(
        f"\nA watermark bound of {table.seconds_of(bound_ms)} covers {completeness} % of the"
        f" records and leaves {skew.beyond(bound_ms):,} late."
    )
    if options.plot:
        curves = {"skew": skew, "receive lateness": lateness}
        title = f"Event-time skew of {Path(name).name}"
        document = svg.draw(title, curves, bound_ms=bound_ms, completeness=str(completeness))
        Path(options.plot).write_text(document, encoding="utf-8")
        print(f"The plot is in {options.plot}.")


def _refuse_a_plot_without_a_place(plot: str | None) -> None:
    """Before minutes are spent on reading."""
    if plot and (not Path(plot).absolute().parent.is_dir() or Path(plot).is_dir()):
        raise OptionError(f"PLOT: must be a file in a directory that exists; found {plot!r}.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m streambed.analytics.skew",
        description="How far events come behind each other, and the watermark bound for it.",
    )
    parser.add_argument("--topic", metavar="NAME", help="with --file: only its records")
    parser.add_argument("--bootstrap", metavar="HOST:PORT,…", help="Kafka's brokers")
    parser.add_argument("--file", metavar="RECORDING", help="raw HFP messages, instead of Kafka")
    parser.add_argument("--since", metavar="TIME|DURATION", help="2026-11-18T15:00:00Z, or 30m")
    parser.add_argument("--completeness", default="99.9", metavar="PERCENT")
    parser.add_argument("--newest", type=int, default=2_000_000, metavar="N", help="at most")
    parser.add_argument("--plot", metavar="FILE.svg")
    return parser
