"""The comparison in lines: one per job, its first differences, and at the end the sum."""

from collections.abc import Iterable
from datetime import UTC, datetime

from streambed.oracle.comparison import KINDS, Comparison


def moment(ms: float) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def lines_about(comparison: Comparison) -> list[str]:
    c = comparison
    about = [
        f"{c.job}: {_counts([c])}",
        f"{c.records} records read, {c.late} late and {c.future} from the future set aside,"
        f" {c.undecodable} undecodable",
        *c.notes,
    ]
    shown = [
        f"  {difference.kind} {difference.key}: expected {difference.expected},"
        f" found {difference.found}"
        for kind in KINDS
        for difference in c.differences
        if difference.kind == kind
    ]
    return ["; ".join(about), *shown]


def last_line(comparisons: Iterable[Comparison]) -> str:
    return _counts(list(comparisons))


def _counts(comparisons: list[Comparison]) -> str:
    return ", ".join(
        f"{sum(getattr(comparison, name) for comparison in comparisons)} {name}"
        for name in ("compared", *KINDS)
    )
