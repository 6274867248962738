"""What a stage needs for a rate follows from the formula that is shown."""

from pathlib import Path

import pytest
import yaml

from infra import sizing, stage
from infra.commands.size import WrongRate, rate_of
from infra.sizing import Change, Sizing, changes

LOCAL = yaml.safe_load((Path(__file__).parents[2] / "inventories" / "local.yml").read_text())
TOPICS = [
    {"name": "input.vehicle-position", "partitions": 6, "retention": "6h"},
    {"name": "input.stop-event", "partitions": 6, "retention": "6h"},
    {"name": "input.journey-event", "partitions": 6, "retention": "6h"},
    {"name": "input.dead-letter", "partitions": 1, "retention": "3d"},
]
JOBS = ("vehicle-distribution", "delay-distribution")  # 0.98 + 0.09 of the input
GROUPS = [
    {
        "name": "kafka",
        "count": 3,
        "roles": ["kafka", "zookeeper"],
        "memory_mib": 1024,
        "data_gib": 8,
    },
    {"name": "spark", "count": 3, "roles": ["spark_master"], "memory_mib": 960},
    {"name": "worker", "count": 2, "roles": ["spark_worker"], "memory_mib": 1664, "cores": 2},
    {"name": "edge", "count": 2, "roles": ["ingest"], "memory_mib": 256},
    {
        **{"name": "store", "count": 1, "roles": ["object_store", "mqtt_broker"]},
        **{"memory_mib": 448, "data_gib": 16},
    },
]


@pytest.fixture(autouse=True)
def _fixed_figures(monkeypatch):
    """The tests are about the formulas: a figure that is measured anew breaks none of them."""
    monkeypatch.setattr(sizing, "JOB_EVENTS_PER_CORE", 10_000)
    monkeypatch.setattr(sizing, "INGEST_EVENTS_PER_CORE", 50_000)
    monkeypatch.setattr(sizing, "EVENT_BYTES", {"binary": 200, "json": 600})
    monkeypatch.setattr(
        sizing, "DISK_BYTES", {"binary": {1: 250, 10: 100}, "json": {1: 500, 10: 120}}
    )


def made(*, groups=GROUPS, topics=TOPICS, **changed) -> stage.Stage:
    kept = ("provider", "zones", "kafka", "ingest", "checkpoint_interval", "outage_budget")
    data = {key: LOCAL[key] for key in kept} | {"hosts": groups, "topics": topics, **changed}
    return stage.parse(yaml.safe_dump(data), name="local", file="local.yml")


def lines(rate: float, jobs=JOBS, **changed) -> dict[str, sizing.Line]:
    return {line.name: line for line in Sizing(made(**changed), jobs, rate).lines()}


def groups(**changed) -> list[dict]:
    return [{**group, **changed.get(group["name"], {})} for group in GROUPS]


def test_cores_follow_from_what_all_jobs_read_with_headroom():
    line = lines(10_000)["cores of the executors"]
    assert line.numbers == "10,000 × 1.07 ÷ 10,000 × 2 = 2.14"
    assert (line.needs, line.has, line.change) == ("3", "4", None)


def test_a_job_of_ones_own_is_taken_to_read_everything():
    alone = lines(10_000, jobs=("speeding",))["cores of the executors"]
    assert alone.numbers.startswith("10,000 × 1.08 ÷")


def test_missing_cores_become_more_workers():
    found = lines(40_000)
    assert found["cores of the executors"].needs == "9"
    assert found["workers"].needs == "5"
    assert found["workers"].change == Change("hosts.worker.count", 5)
    assert found["cores of the executors"].change == found["workers"].change


def test_shuffle_partitions_are_the_cores_of_the_executors():
    assert lines(1000)["shuffle partitions"].needs == "4"
    assert lines(40_000)["shuffle partitions"].needs == "9"


def test_partitions_let_all_cores_of_a_job_read_at_once():
    found = lines(50_000)["partitions of input.vehicle-position"]
    assert found.needs == "10"  # 49,000 ÷ 10,000 × 2 = 9.8
    assert found.change == Change("topics.input.vehicle-position.partitions", 10)


def test_partitions_take_no_more_bytes_than_they_can():
    found = lines(50_000, jobs=(), wire="json")["partitions of input.vehicle-position"]
    assert found.needs == "6"  # 49,000 × 600 ÷ 5,000,000 = 5.88
    assert found.change is None


def test_an_even_division_needs_no_more_than_it_says():
    found = lines(100_000 / 0.98)["partitions of input.vehicle-position"]
    assert found.needs == "20"


def test_disk_holds_the_retention_replicated_and_segments_that_are_open():
    topics = [{"name": "input.vehicle-position", "partitions": 6, "retention": "6h"}]
    changed = {"topics": topics, "groups": groups(edge={"roles": ["fleet"]}), "ingest": []}
    found = lines(1000, jobs=(), **changed)["disk per broker"]
    kept = 980 * 250 * 6 * 3600
    assert 0.2 * kept > 6 * sizing.SEGMENT_BYTES
    assert found.needs == f"{-(-1.2 * kept // sizing.GIB):.0f} GiB"
    found = lines(100, jobs=(), **changed)["disk per broker"]
    expected = 0.1 * kept + 6 * sizing.SEGMENT_BYTES
    assert found.needs == f"{-(-expected // sizing.GIB):.0f} GiB"


def test_disk_is_spread_over_brokers():
    few = lines(20_000)["disk per broker"]
    many = lines(20_000, groups=groups(kafka={"count": 9}))["disk per broker"]
    assert int(few.needs.split()[0]) == pytest.approx(3 * int(many.needs.split()[0]), abs=3)
    assert few.change == Change("hosts.kafka.data_gib", int(few.needs.split()[0]))


def test_a_higher_rate_makes_batches_that_compress():
    topic = made().topics[0]
    # 0.02 s of a rate, over 6 partitions and 2 ingest hosts.
    assert Sizing(made(), (), 6000).disk_bytes(topic) == 250
    assert Sizing(made(), (), 6200).disk_bytes(topic) == 100


def test_results_are_small_and_copies_are_not():
    names = ("input.vehicle-position", "analytics.flow-direction", "analytics.pass-through")
    topics = [{"name": name} for name in names]
    found = Sizing(made(topics=[*topics, *TOPICS[1:]]), (), 100)
    sizes = [found.disk_bytes(topic) for topic in found.stage.topics[:3]]
    assert sizes == [250, sizing.RESULT_DISK_BYTES, 100]


def test_ingestion_has_its_cores():
    assert lines(1000)["cores of ingestion"].change is None
    assert lines(100_000)["cores of ingestion"].change == Change("hosts.edge.count", 4)


def test_catching_up_takes_as_long_as_the_spare_cores_let_it():
    found = lines(10_000)["catching up after outage_budget"]
    assert found.has == f"{3600 * 10_700 / (40_000 - 10_700):,.0f} s"
    assert found.change is None
    assert lines(30_000)["catching up after outage_budget"].change is not None
    assert lines(40_000)["catching up after outage_budget"].has == "never"


@pytest.mark.parametrize("rate", [1000, 18_000, 19_000, 25_000, 100_000])
def test_catching_up_is_too_slow_exactly_when_cores_are_missing(rate):
    load, capacity = rate * 1.07, 40_000
    slow = load >= capacity or load / (capacity - load) > 1
    assert (lines(rate)["catching up after outage_budget"].change is not None) == slow


@pytest.mark.parametrize("rate", [1, 999.5, 1000, 20_000, 90_000])
@pytest.mark.parametrize("jobs", [JOBS, (*sizing.JOBS, "speeding")])
def test_a_stage_that_was_changed_as_told_is_enough(rate, jobs):
    wanted = changes(Sizing(made(), jobs, rate).lines())
    hosts, topics = {}, {topic["name"]: dict(topic) for topic in TOPICS}
    for key, to in wanted:
        where, rest = key.split(".", 1)
        name, field = rest.rsplit(".", 1)
        (hosts.setdefault(name, {}) if where == "hosts" else topics[name])[field] = to
    changed = made(groups=groups(**hosts), topics=list(topics.values()))
    assert changes(Sizing(changed, jobs, rate).lines()) == []


def test_of_two_lines_about_one_key_the_larger_counts():
    line = {"name": "", "formula": "", "numbers": "", "needs": "", "has": ""}
    asked = [Change("a", 3), None, Change("b", 1), Change("a", 2)]
    told = changes(sizing.Line(**line, change=change) for change in asked)
    assert told == [Change("a", 3), Change("b", 1)]


def test_without_jobs_nothing_is_said_about_spark():
    assert "workers" not in lines(1000, jobs=())


def test_heaps_are_worked_out_as_the_playbooks_do():
    text = (Path(__file__).parents[2] / "playbooks" / "group_vars" / "all.yml").read_text()
    assert f"- {sizing.WORKER_OWN_MIB}) * {sizing.HEAP} / [2, streambed_applications" in text


@pytest.mark.parametrize(("text", "rate"), [("1000", 1000), ("1,000", 1000), ("0.5", 0.5)])
def test_a_rate_is_a_number(text, rate):
    assert rate_of(text) == rate


@pytest.mark.parametrize("text", ["", "0", "-5", "fast", "nan", "inf"])
def test_what_is_no_rate_is_refused_in_a_sentence(text):
    with pytest.raises(WrongRate, match=r"^RATE must be a number of events a second .*\.$"):
        rate_of(text)
