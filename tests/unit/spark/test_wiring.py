"""Whole queries on tiny inputs: decoding, state in RocksDB, panes, late records, encoding."""

import re
from pathlib import Path

import pytest
from streambed.analytics.catalogue import load, make
from streambed.events import Pane
from wiring import START_MS, Wired, arrival, event, position

README = Path(__file__).parents[3] / "README.md"


def end(second: int) -> str:
    return str(START_MS + second * 1000)


@pytest.mark.parametrize("wire", ["binary", "json"])
def test_vehicles_are_counted_and_the_late_are_set_aside(spark, tmp_path, wire):
    query = Wired(make("vehicle-distribution", None, {}), tmp_path)
    query.give(
        spark,
        event(1, position(), vehicle=1, wire=wire),
        event(2, position(), vehicle=2, wire=wire),
        event(2, position(), vehicle=2, wire=wire),  # a copy
        event(14.5, position(latitude=60.3), vehicle=1, wire=wire),
        (b"0012/00009", b"garbage", [("wire", wire.encode())]),
        (b"0012/00009", event(2, position(), wire=wire)[1], [("trace", b"1")]),  # in no mode
        (b"0012/00009", *event(2, position(), vehicle=2, wire=wire)[1:2], None),
        event(9000, position(), vehicle=3, ingested=2, wire=wire),  # from the future
    )
    query.give(spark, event(200, position(), vehicle=1, wire=wire))
    query.give(spark, event(3, position(), vehicle=4, wire=wire))
    found = query.run(spark)
    counts = {
        key: (result.vehicles, result.pane.kind)
        for key, result in found["analytics.vehicle-distribution"].items()
        if key.startswith(f"{end(5)}/")
    }
    assert list(counts.values()) == [(2, Pane.ON_TIME)]
    late = found["analytics.late"]
    assert {(record.offset, record.HasField("watermark")) for record in late.values()} == {
        (7, False),
        (9, True),
    }
    assert query.counts.undecodable == 3
    assert query.counts.late == 2


def test_a_late_record_within_the_allowed_lateness_refines_the_window(spark, tmp_path):
    query = Wired(make("delay-distribution", None, {}), tmp_path)
    query.give(spark, event(1, arrival(60)), event(20, arrival(0)))
    query.give(spark, event(2, arrival(120), vehicle=2))
    found = query.run(spark)["analytics.delay-distribution"]
    (first,) = (result for key, result in found.items() if key.startswith(f"{end(5)}/"))
    assert (first.arrivals, first.p50, first.p99) == (2, 1.0, 2.0)
    assert first.pane.kind == Pane.LATE


def test_directions_come_out_of_the_state(spark, tmp_path):
    query = Wired(make("flow-direction", None, {}), tmp_path)
    way = [event(second, position(latitude=60.17 + second * 0.0003)) for second in range(20)]
    query.give(spark, *way[:10])
    query.give(spark, *way[10:], event(40, position()))
    found = query.run(spark)["analytics.flow-direction"]
    moves = [result.moves for key, result in found.items() if key.startswith(f"{end(20)}/")]
    assert sum(moves) >= 1


def test_destinations_come_out_of_the_state(spark, tmp_path):
    query = Wired(make("final-stop", None, {}), tmp_path)
    query.give(spark, event(1, position(next_stop="7")), event(2, position(end_of_line=True)))
    query.give(spark, event(30, position(next_stop="1"), vehicle=2), event(600, position()))
    query.give(spark, event(601, position()))
    found = query.run(spark)["analytics.final-stop"]
    counts = {key: result.vehicles for key, result in found.items() if key.startswith(end(60))}
    assert sorted(counts.values()) == [0, 2]
    assert counts[f"{end(60)}/unknown"] == 0


def test_emergency_stops_come_out_of_the_state(spark, tmp_path):
    query = Wired(make("emergency-stop", None, {}), tmp_path)
    query.give(spark, *(event(s, position(speed=v)) for s, v in enumerate((14.0, 14.0, 9.0))))
    query.give(spark, *(event(3 + s, position(speed=v)) for s, v in enumerate((4.0, 0.0))))
    query.give(spark, event(20, position(speed=0.0)))
    found = query.run(spark)["analytics.emergency-stop"]
    assert list(found) == [f"0012/00001/{end(4)}"]
    (stop,) = found.values()
    assert (stop.speed_before, stop.speed_after, stop.strongest_deceleration) == (14.0, 0.0, 5.0)


def test_the_example_in_the_readme_does_what_it_says(spark, tmp_path):
    """That very text: a job of one's own is one file."""
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert len(example.splitlines()) <= 20
    file = tmp_path / "speeding.py"
    file.write_text(example)
    query = Wired(load(file)(), tmp_path)
    query.give(
        spark,
        event(1, position(speed=25.0), vehicle=1),
        event(2, position(speed=5.0), vehicle=2),
        event(3, position(speed=30.0), vehicle=3),
    )
    query.give(spark, event(300, position(speed=0.0)))
    (row,) = query.run(spark)["analytics.speeding"].values()
    assert dict(row.values)["vehicles"] == 2
    assert dict(row.values)["fastest"] == 30.0
