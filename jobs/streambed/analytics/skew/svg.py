"""The cumulative distributions as an SVG file."""

from collections.abc import Iterator
from html import escape

from streambed.analytics.skew.distribution import Distribution
from streambed.analytics.skew.scale import Scale, label

WIDTH, HEIGHT = 760, 420
LEFT, RIGHT, TOP, BOTTOM = 70, 24, 48, 56
STEPS = 400
COLOURS = ("#1f5fa8", "#c26a12")
STYLE = (
    "text{font:13px sans-serif;fill:#222}.grid{stroke:#ddd}.axis{stroke:#222}"
    ".curve{fill:none;stroke-width:2}.bound{stroke:#b00020;stroke-width:1.5;stroke-dasharray:5 4}"
)


def draw(title: str, curves: dict[str, Distribution], *, bound_ms: int, completeness: str) -> str:
    """A document of its own; the bound is that of the first curve."""
    curves = {name: curve for name, curve in curves.items() if len(curve)}
    scale = Scale.over(list(curves.values()))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            f' width="{WIDTH}" height="{HEIGHT}">',
            f"<style>{STYLE}</style>",
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
            _text(LEFT, 26, title, weight="bold"),
            *_axes(scale),
            *_curves(scale, curves),
            *_bound(scale, bound_ms, completeness),
            "</svg>\n",
        ]
    )


def _axes(scale: Scale) -> Iterator[str]:
    for decade in scale.decades:
        x = _x(scale, 10.0**decade)
        yield _line(x, TOP, x, HEIGHT - BOTTOM, "grid")
        yield _text(x, HEIGHT - BOTTOM + 18, label(decade), anchor="middle")
    for part in range(6):
        share = scale.lowest_share + part / 5 * (1 - scale.lowest_share)
        y = _y(scale, share)
        yield _line(LEFT, y, WIDTH - RIGHT, y, "grid")
        yield _text(LEFT - 8, y + 4, f"{100 * share:.0f} %", anchor="end")
    yield _line(LEFT, TOP, LEFT, HEIGHT - BOTTOM, "axis")
    yield _line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, "axis")
    middle = (LEFT + WIDTH - RIGHT) / 2
    yield _text(middle, HEIGHT - 14, "behind by at most (seconds, log scale)", anchor="middle")
    middle = (TOP + HEIGHT - BOTTOM) / 2
    yield (
        f'<text transform="translate(18 {middle:.1f}) rotate(-90)" text-anchor="middle">'
        "share of records</text>"
    )


def _curves(scale: Scale, curves: dict[str, Distribution]) -> Iterator[str]:
    for number, (name, curve) in enumerate(curves.items()):
        points = []
        for step in range(STEPS + 1):
            seconds = scale.seconds_at(step / STEPS)
            share = curve.share_within(seconds * 1000)
            points.append(f"{_x(scale, seconds):.1f},{_y(scale, share):.1f}")
        colour = COLOURS[number % len(COLOURS)]
        yield f'<polyline class="curve" stroke="{colour}" points="{" ".join(points)}"/>'
        x, y = WIDTH - RIGHT - 240 + 90 * number, 22
        yield f'<line class="curve" stroke="{colour}" x1="{x}" y1="{y}" x2="{x + 26}" y2="{y}"/>'
        yield _text(x + 34, y + 4, name)


def _bound(scale: Scale, bound_ms: int, completeness: str) -> Iterator[str]:
    x = _x(scale, bound_ms / 1000)
    yield _line(x, TOP, x, HEIGHT - BOTTOM, "bound")
    before = x > WIDTH / 2
    text = f"{completeness} % within {bound_ms / 1000:.3f} s"
    yield _text(x - 6 if before else x + 6, TOP - 6, text, anchor="end" if before else "start")


def _x(scale: Scale, seconds: float) -> float:
    return LEFT + scale.across(seconds) * (WIDTH - LEFT - RIGHT)


def _y(scale: Scale, share: float) -> float:
    return HEIGHT - BOTTOM - scale.up(share) * (HEIGHT - TOP - BOTTOM)


def _line(x1: float, y1: float, x2: float, y2: float, class_: str) -> str:
    return f'<line class="{class_}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )
