"""The flags of `simulate`."""

import argparse

from streambed.ingest.simulator.imperfections import Rates


def add_arguments(command: argparse.ArgumentParser) -> None:
    add = command.add_argument
    target = command.add_mutually_exclusive_group(required=True)
    target.add_argument("--mqtt", metavar="HOST:PORT", help="publish to a broker, at QoS 1")
    target.add_argument("--file", metavar="PATH", help="write a recording (.jsonl, .gz or .zst)")
    add("--vehicles", type=int, default=100, metavar="N", help="each speaks once a second")
    add("--first", type=int, default=1, metavar="N", help="the number of the first vehicle")
    add("--seconds", type=int, default=0, metavar="N", help="0 is for ever (default)")
    add("--seed", type=int, default=1, metavar="N", help="the same seed makes the same fleet")
    add("--start", default="now", metavar="TIME", help="ISO 8601 with zone, or now")
    add("--speed", type=float, default=None, metavar="X", help="1 is real time, 0 unbounded")
    add("--truth", metavar="DIRECTORY", help="write the ground truth there")
    add("--timetable", metavar="DIRECTORY", help="write the lines there as GTFS")
    add("--client-id", default="streambed-simulator", metavar="NAME")
    add("--username", metavar="NAME")
    add("--password-file", metavar="FILE")
    defaults = Rates()
    for name, text in (
        ("nulls", "share of positions without GPS"),
        ("duplicates", "share of messages that come several times"),
        ("radio-losses", "per vehicle and hour"),
        ("reordered", "share of messages that are overtaken"),
        ("garbage", "share of unreadable messages, in addition"),
        ("emergency-stops", "per vehicle and hour"),
    ):
        default = getattr(defaults, name.replace("-", "_"))
        add(f"--{name}", type=float, default=default, metavar="X", help=f"{text} ({default})")
