"""The jobs' own queries, on tiny frames: rows of a window in, results out."""

from datetime import UTC, datetime

import pytest
from streambed.analytics.catalogue import file_of, load

END = datetime(2026, 5, 4, 6, 0, 30, tzinfo=UTC)
A, B, C = 0x8911262A1ABFFFF, 0x8911262A1AFFFFF, 0x8911262A1B7FFFF


@pytest.fixture
def answer(spark):
    """What a job's query makes of rows, without the window they all have in common."""

    def ask(name: str, schema: str, *rows: tuple) -> list[dict]:
        frame = spark.createDataFrame(
            [(END, *row) for row in rows], f"window timestamp, {schema}, n bigint"
        )
        found = load(file_of(name))().query(frame).collect()
        assert all(row["window"].timestamp() == END.timestamp() for row in found)
        return [{k: v for k, v in row.asDict().items() if k != "window"} for row in found]

    return ask


def test_vehicles_are_counted_in_the_cell_they_were_in_last(answer):
    rows = [(A, True, 2), (A, True, 3), (A, False, 9), (B, False, 1)]
    found = answer("vehicle-distribution", "cell bigint, newest boolean", *rows)
    assert {row["cell"]: row["vehicles"] for row in found} == {A: 5, B: 0}


def test_percentiles_are_by_nearest_rank_in_minutes(answer):
    rows = [(A, delay * 60, 1) for delay in range(1, 11)] + [(B, -30, 1)]
    found = answer("delay-distribution", "cell bigint, delay int", *rows)
    by_cell = {row["cell"]: (row["arrivals"], row["p50"], row["p90"], row["p99"]) for row in found}
    assert by_cell == {A: (10, 5.0, 9.0, 10.0), B: (1, -0.5, -0.5, -0.5)}


def test_several_arrivals_with_the_same_delay_count_each(answer):
    found = answer("delay-distribution", "cell bigint, delay int", (A, 0, 9), (A, 600, 1))
    assert [(row["p50"], row["p90"], row["p99"]) for row in found] == [(0.0, 0.0, 10.0)]


def test_the_most_frequent_direction_wins_and_of_equals_the_smaller_cell(answer):
    rows = [(A, B, 2), (A, C, 3), (B, A, 1), (B, C, 1), (C, None, 4)]
    found = answer("flow-direction", "cell bigint, to_cell bigint", *rows)
    by_cell = {row["cell"]: (row["to_cell"], row["moves"], row["all_moves"]) for row in found}
    assert by_cell == {A: (C, 3, 5), B: (min(A, C), 1, 2), C: (0, 0, 0)}


@pytest.fixture
def timetable(spark):
    """One line that the timetable knows, `1001`, and one stop."""
    spark.createDataFrame(
        [("1001", 1, A, 0, 1 << 62)],
        "route string, direction bigint, cell bigint, from_ms bigint, to_ms bigint",
    ).createOrReplaceTempView("timetable")
    spark.createDataFrame(
        [("77", B, 0, 1 << 62)], "stop string, cell bigint, from_ms bigint, to_ms bigint"
    ).createOrReplaceTempView("stops")


def test_final_stops_are_the_timetables_or_learned_or_unknown(answer, timetable):
    schema = load(file_of("final-stop")).rows
    rows = [
        ("1001", 1, True, None, None, None, 4),
        ("1002", 1, True, None, None, None, 3),  # learned: the stop is in the timetable
        ("1002", 1, False, "77", C, 1000, 1),
        ("1003", 1, True, None, None, None, 2),  # learned: the newest counts
        ("1003", 1, False, "98", A, 1000, 1),
        ("1003", 1, False, "99", C, 2000, 1),
        ("1004", 1, True, None, None, None, 1),
    ]
    found = answer("final-stop", schema, *rows)
    assert {row["cell"]: row["vehicles"] for row in found} == {A: 4, B: 3, C: 2, None: 1}


def test_the_unknown_are_told_also_when_there_are_none(answer, timetable):
    schema = load(file_of("final-stop")).rows
    found = answer("final-stop", schema, ("1001", 1, True, None, None, None, 4))
    assert {row["cell"]: row["vehicles"] for row in found} == {A: 4, None: 0}
