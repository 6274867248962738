"""The distribution in figures."""

from collections.abc import Iterator
from decimal import Decimal

from streambed.analytics.skew.distribution import Distribution

PERCENTILES = tuple(map(Decimal, ("50", "90", "95", "99", "99.9")))
BEHIND_S = (1, 2, 5, 10, 20, 30, 60)
COMPLETENESSES = tuple(map(Decimal, ("90", "95", "99", "99.5", "99.9", "100")))


def lines(skew: Distribution, lateness: Distribution, wanted: Decimal) -> Iterator[str]:
    columns = (skew, lateness)
    yield f"{'seconds':16}{'skew':>12}{'receive lateness':>20}"
    for percent in PERCENTILES:
        yield _row(f"p{percent}", *(_seconds_at(column, percent) for column in columns))
    yield _row("max", *(_seconds_at(column, Decimal(100)) for column in columns))
    yield ""
    yield f"{'behind by more':16}{'skew':>12}{'receive lateness':>20}"
    for seconds in BEHIND_S:
        yield _row(f"than {seconds} s", *(_share_beyond(column, seconds) for column in columns))
    yield ""
    yield f"{'completeness':16}{'bound':>12}{'records late':>20}"
    for percent in sorted({*COMPLETENESSES, wanted}):
        bound_ms = skew.percentile(percent)
        mark = "  <- wanted" if percent == wanted else ""
        yield _row(f"{percent} %", seconds_of(bound_ms), f"{skew.beyond(bound_ms):,}") + mark


def seconds_of(ms: int) -> str:
    return f"{ms / 1000:.3f} s"


def _seconds_at(column: Distribution, percent: Decimal) -> str:
    return seconds_of(column.percentile(percent)) if len(column) else "-"


def _share_beyond(column: Distribution, seconds: int) -> str:
    return f"{100 * column.beyond(seconds * 1000) / len(column):.2f} %" if len(column) else "-"


def _row(name: str, first: str, second: str) -> str:
    return f"{name:16}{first:>12}{second:>20}"
