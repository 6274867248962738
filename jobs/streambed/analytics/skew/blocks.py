"""The cumulative distribution for a terminal, in block characters."""

from collections.abc import Iterator

from streambed.analytics.skew.distribution import Distribution
from streambed.analytics.skew.scale import Scale, label

BLOCKS = " ▁▂▃▄▅▆▇█"
WIDTH, HEIGHT, MARGIN = 64, 8, 7


def lines(skew: Distribution, bound_ms: int) -> Iterator[str]:
    scale = Scale.over([skew])
    eighths = [
        round(scale.up(skew.share_within(1000 * scale.seconds_at(x / (WIDTH - 1)))) * HEIGHT * 8)
        for x in range(WIDTH)
    ]
    yield "share of records that are behind by at most so much"
    for row in range(HEIGHT - 1, -1, -1):
        share = scale.lowest_share + (row + 1) / HEIGHT * (1 - scale.lowest_share)
        text = f"{100 * share:.4g} %" if row % 2 else ""
        bars = "".join(BLOCKS[min(max(height - row * 8, 0), 8)] for height in eighths)
        yield f"{text:>{MARGIN}} ┤{bars}"
    yield f"{100 * scale.lowest_share:.0f} %".rjust(MARGIN) + " └" + "─" * WIDTH
    ticks = [" "] * (WIDTH + 8)
    for decade in scale.decades:
        place = round(scale.across(10.0**decade) * (WIDTH - 1))
        ticks[place : place + len(label(decade))] = label(decade)
    yield " " * (MARGIN + 2) + "".join(ticks).rstrip()
    place = round(scale.across(bound_ms / 1000) * (WIDTH - 1))
    yield " " * (MARGIN + 2 + place) + f"▲ bound {bound_ms / 1000:.3f} s"
