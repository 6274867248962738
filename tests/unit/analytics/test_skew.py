"""A bound that is told covers as many records as was asked for, in the order they came."""

import random
import xml.etree.ElementTree as ElementTree
from decimal import Decimal

import pytest
from streambed.analytics.skew import blocks, svg, table
from streambed.analytics.skew.cli import completeness_of, main
from streambed.analytics.skew.distribution import Arrival, Distribution, latenesses_of, skews_of
from streambed.analytics.skew.recording import read_recording
from streambed.analytics.skew.sample import Sample
from streambed.analytics.skew.since import since_ms
from streambed.analytics.skew.topic import arrival_of, newest_of
from streambed.events import StopEvent, VehiclePosition
from streambed.events.codec import UndecodableRecord, encoder, headers
from streambed.ingest.messages import RawMessage
from streambed.ingest.recordings import format_line
from streambed.ingest.times import format_ms
from streambed.options import OptionError

NOON = 1_600_682_400_000
TOPIC = "/hfp/v2/journey/ongoing/vp/tram/0040/00456/1006/1/Arabia/05:47/1111428/5/60;24/19/75/80"


def arrivals(*event_ms: int) -> list[Arrival]:
    """One a second, received as it arrived."""
    return [
        Arrival(NOON + 1000 * number, 0, number, NOON + ms, NOON + 1000 * number)
        for number, ms in enumerate(event_ms)
    ]


def recording(path, *messages: tuple[int, int]) -> str:
    """A file of (received, happened), both in ms after noon."""
    path.write_bytes(
        b"".join(
            format_line(
                RawMessage(
                    TOPIC,
                    f'{{"VP":{{"tst":"{format_ms(NOON + event)}"}}}}'.encode(),
                    NOON + received,
                )
            )
            for received, event in messages
        )
    )
    return str(path)


class FakeMessage:
    """A record as confluent-kafka hands it out."""

    def __init__(self, value: bytes, wire: str = "binary") -> None:
        self._value, self._wire = value, wire

    def value(self):
        return self._value

    def headers(self):
        return headers(self._wire) if self._wire else None

    def timestamp(self):
        return (1, NOON + 5)

    def partition(self):
        return 3

    def offset(self):
        return 7


def test_skew_is_the_distance_to_the_newest_event_so_far():
    assert skews_of(arrivals(0, 5000, 3000, 4000, 6000)).ordered == [0, 0, 0, 1000, 2000]


def test_records_are_taken_in_the_order_of_arrival_whatever_order_they_are_read_in():
    made = arrivals(*(random.Random(1).randrange(60_000) for _ in range(200)))
    shuffled = random.Random(2).sample(made, len(made))
    assert skews_of(shuffled) == skews_of(made)


def test_ties_of_arrival_go_by_partition_and_offset():
    first, second = Arrival(NOON, 0, 9, NOON + 900, None), Arrival(NOON, 1, 0, NOON, None)
    assert skews_of([second, first]).ordered == [0, 900]
    earlier, later = Arrival(NOON, 1, 0, NOON, None), Arrival(NOON, 1, 1, NOON + 900, None)
    assert skews_of([later, earlier]).ordered == [0, 0]


def test_lateness_is_that_of_receipt_and_may_be_unknown():
    known = Arrival(NOON, 0, 0, NOON, NOON + 40)
    unknown = Arrival(NOON, 0, 1, NOON, None)
    assert latenesses_of([known, unknown]).ordered == [40]


@pytest.mark.parametrize(
    ("percent", "value"), [("50", 500), ("99.9", 999), ("99.91", 1000), ("100", 1000), ("0.01", 1)]
)
def test_percentiles_are_nearest_ranks_without_the_dust_of_floats(percent, value):
    assert Distribution.of(range(1, 1001)).percentile(Decimal(percent)) == value


@pytest.mark.parametrize("percent", ["90", "99", "99.5", "99.9", "100"])
def test_a_bound_is_the_smallest_that_leaves_no_more_late_than_allowed(percent):
    draw = random.Random(3)
    skew = Distribution.of(int(draw.expovariate(1 / 800)) for _ in range(3001))
    allowed = 3001 * (100 - Decimal(percent)) / 100
    bound_ms = skew.percentile(Decimal(percent))
    assert skew.beyond(bound_ms) <= allowed < skew.beyond(bound_ms - 1)


def test_a_record_from_the_future_is_named_and_moves_no_clock():
    sample = Sample()
    for arrival in arrivals(0, 61_001, 2000, 63_000):  # a minute and 1 ms; exactly a minute
        sample.add(arrival)
    assert sample.left_out == {"from the future": 1}
    assert skews_of(sample.arrivals).ordered == [0, 0, 0]


@pytest.mark.parametrize("mode", ["binary", "json"])
def test_a_record_of_a_topic_becomes_an_arrival(mode):
    value = encoder(mode)(NOON, NOON + 2, VehiclePosition(vehicle=1))
    assert arrival_of(FakeMessage(value, mode), VehiclePosition) == Arrival(
        NOON + 5, 3, 7, NOON, NOON + 2
    )


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (FakeMessage(b"\xff\xff"), "garbage"),
        (FakeMessage(b""), "empty"),
        (FakeMessage(b"x", wire=""), "unknown wire mode"),
        (FakeMessage(encoder("binary")(NOON, NOON, StopEvent(kind=1))), "another type"),
    ],
)
def test_a_record_that_is_none_of_its_topic_is_undecodable(message, reason):
    with pytest.raises(UndecodableRecord) as error:
        arrival_of(message, VehiclePosition)
    assert error.value.reason == reason


def test_of_too_many_records_the_newest_part_of_every_partition_is_read():
    assert newest_of({0: (0, 100), 1: (50, 350)}, 40) == {0: (90, 100), 1: (320, 350)}
    assert newest_of({0: (0, 100), 1: (50, 50)}, 100) == {0: (0, 100), 1: (50, 50)}


def test_a_recording_is_read_as_ingestion_would(tmp_path):
    file = recording(tmp_path / "a.jsonl", (100, 0), (150, 0), (1100, 1000), (9000, 500))
    with open(file, "ab") as stream:
        stream.write(b"no message\n")
    sample = read_recording(file)
    assert skews_of(sample.arrivals).ordered == [0, 0, 500]
    assert latenesses_of(sample.arrivals).ordered == [100, 100, 8500]
    assert sample.left_out == {"dropped: duplicate": 1, "undecodable: topic": 1}


def test_a_recording_can_be_read_since_a_time_or_for_a_while_before_its_end(tmp_path):
    file = recording(tmp_path / "a.jsonl", (0, 0), (5000, 5000), (60_000, 60_000))
    assert len(read_recording(file, since="55s").arrivals) == 2
    assert len(read_recording(file, since=format_ms(NOON + 5001)).arrivals) == 1


def test_since_is_a_moment_or_a_duration_before_the_end():
    assert since_ms("2020-09-21T10:00:00Z", end_ms=0) == NOON
    assert since_ms("90s", end_ms=NOON) == NOON - 90_000
    with pytest.raises(OptionError, match=r"^SINCE: must be .* found 'yesterday'\.$"):
        since_ms("yesterday", end_ms=NOON)


@pytest.mark.parametrize("text", ["0", "-1", "100.1", "nan", "inf", "much", ""])
def test_a_completeness_is_a_percentage(text):
    with pytest.raises(OptionError, match=r"^COMPLETENESS: "):
        completeness_of(text)


@pytest.mark.parametrize("text", ["99.9", "99.90", " 99.9 % "])
def test_a_completeness_may_be_written_in_several_ways(text):
    assert str(completeness_of(text)) == "99.9"


def test_the_table_shows_the_wanted_completeness_among_the_others():
    skew = Distribution.of(range(1000))
    rows = list(table.lines(skew, Distribution([]), Decimal("97")))
    wanted = [row for row in rows if row.endswith("<- wanted")]
    assert [row.split()[:4] for row in wanted] == [["97", "%", "0.969", "s"]]
    assert ["p99.9", "0.998", "s", "-"] in [row.split() for row in rows]


@pytest.mark.parametrize("values", [[0], [0, 0, 5], [0] * 99 + [86_400_000], [-500, 20]])
def test_plots_can_be_drawn_of_anything(values):
    curve = Distribution.of(values)
    rows = list(blocks.lines(curve, curve.largest))
    assert "100 %" in rows[1]
    document = svg.draw(
        "<topic> & more",
        {"skew": curve, "nothing": Distribution([])},
        bound_ms=curve.largest,
        completeness="99.9",
    )
    texts = [element.text for element in ElementTree.fromstring(document).iter() if element.text]
    assert "<topic> & more" in texts
    assert "behind by at most (seconds, log scale)" in texts
    assert f"99.9 % within {curve.largest / 1000:.3f} s" in texts
    assert "nothing" not in texts


def test_the_curve_ends_at_the_top_right():
    document = svg.draw("t", {"skew": Distribution([0, 10, 100])}, bound_ms=100, completeness="100")
    (curve,) = [e for e in ElementTree.fromstring(document).iter() if e.tag.endswith("polyline")]
    assert curve.get("points").split()[-1] == f"{svg.WIDTH - svg.RIGHT:.1f},{svg.TOP:.1f}"


def test_the_command_tells_the_bound_and_writes_the_plot(tmp_path, capsys):
    on_time = [(1000 * n, 1000 * n) for n in range(99)]
    file = recording(tmp_path / "a.jsonl", *on_time, (99_000, 250))  # 97.75 s behind
    plot = tmp_path / "skew.svg"
    assert main(["--file", file, "--completeness", "99", "--plot", str(plot)]) == 0
    told = capsys.readouterr().out
    assert "100 records; left out: none." in told
    assert "A watermark bound of 0.000 s covers 99 % of the records and leaves 1 late." in told
    assert "97.750 s" in told
    ElementTree.parse(plot)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "Say what to analyse: TOPIC="),
        (["--topic", "x"], "A topic needs --bootstrap"),
        (["--file", "/nowhere.jsonl"], "FILE: there is no recording at /nowhere.jsonl."),
        (["--file", "{empty}"], "holds no record to analyse."),
        (["--file", "{empty}", "--topic", "x"], "TOPIC: a recording makes records of input."),
        (["--file", "{empty}", "--plot", "/nowhere/x.svg"], "PLOT: must be a file"),
        (["--file", "{empty}", "--completeness", "x"], "COMPLETENESS: must be"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(tmp_path, capsys, arguments, sentence):
    (tmp_path / "empty.jsonl").touch()
    given = [text.format(empty=tmp_path / "empty.jsonl") for text in arguments]
    assert main(given) == 2
    assert sentence in capsys.readouterr().err
