"""A stage file that loads deploys; one that does not is told what to mend."""

from pathlib import Path

import pytest
import yaml

from infra import stage
from infra.setup import package
from infra.stage import StageError

STAGES = Path(__file__).parents[2] / "inventories"
LOCAL = yaml.safe_load((STAGES / "local.yml").read_text())


def parse(**changes) -> stage.Stage:
    text = yaml.safe_dump({**LOCAL, **changes})
    return stage.parse(text, name="local", file="inventories/local.yml")


def complaint(**changes) -> str:
    with pytest.raises(StageError) as error:
        parse(**changes)
    return str(error.value)


def groups(**changes) -> list[dict]:
    """The host groups of the local stage, one of them changed: `kafka={"count": 2}`."""
    return [{**group, **changes.get(group["name"], {})} for group in LOCAL["hosts"]]


def ingest(**changes) -> list[dict]:
    """The ingestion of the local stage, changed."""
    return [{**LOCAL["ingest"][0], **changes}]


def jobs(*more, **changes) -> list[dict]:
    """The jobs of the local stage, the last one changed, and more."""
    *others, last = LOCAL["jobs"]
    return [*others, {**last, **changes}, *more]


@pytest.mark.parametrize("name", sorted(file.stem for file in STAGES.glob("*.yml")))
def test_every_stage_that_ships_is_valid(name):
    assert stage.load(name).name == name


def test_the_local_stage_has_eleven_hosts_in_sixteen_gib():
    local = stage.load("local")
    assert len(local.identities()) == 11
    assert local.memory_mib <= 16 * 1024


def test_an_identity_names_its_host_and_spreads_it_over_the_zones():
    kafka = parse().with_role("kafka")
    assert [(host.name, host.zone) for host in kafka] == [
        ("kafka-1", "a"),
        ("kafka-2", "b"),
        ("kafka-3", "c"),
    ]


def test_identities_do_not_depend_on_the_order_of_groups():
    there = {host.name: host for host in parse().identities()}
    back = {host.name: host for host in parse(hosts=LOCAL["hosts"][::-1]).identities()}
    assert there == back


def test_zookeeper_moves_to_its_own_hosts_by_one_word():
    apart = groups(kafka={"roles": ["kafka"]})
    apart.append(
        {"name": "zk", "count": 3, "roles": ["zookeeper"], "memory_mib": 512, "data_gib": 2}
    )
    moved = parse(hosts=apart)
    assert [host.name for host in moved.with_role("zookeeper")] == ["zk-1", "zk-2", "zk-3"]


def test_the_kafka_version_follows_the_metadata_mode():
    assert parse(kafka={"metadata": "zookeeper"}).kafka.version == "3.9.2"
    assert parse(kafka={}).kafka.version == "4.3.1"


def test_durations_are_written_as_people_do():
    topic = parse(topics=[*LOCAL["topics"], {"name": "t", "retention": "2d"}]).topics[-1]
    assert topic.retention_ms == 2 * 86400 * 1000


@pytest.mark.parametrize(
    ("changes", "key", "words"),
    [
        (
            {"hosts": groups(kafka={"roles": ["kafka", "zokeeper"]})},
            "hosts[0].roles[1]",
            "zokeeper",
        ),
        ({"hosts": groups(kafka={"cuont": 3})}, "hosts[0].cuont", "did you mean 'count'"),
        ({"hosts": groups(kafka={"count": 0})}, "hosts[0].count", "greater than or equal to 1"),
        ({"hosts": groups(kafka={"count": 4})}, "hosts", "odd number of hosts"),
        ({"hosts": groups(kafka={"count": 2})}, "hosts", "odd number of hosts"),
        ({"hosts": groups(spark={"name": "kafka"})}, "hosts", "'kafka' stands twice"),
        ({"hosts": groups(kafka={"memory_mib": 300})}, "hosts.kafka.memory_mib", "at least 896"),
        ({"hosts": groups(store={"data_gib": None})}, "hosts.store.data_gib", "size of the volume"),
        ({"hosts": groups(store={"count": 2})}, "hosts", "exactly one object_store"),
        ({"hosts": groups(kafka={"name": "Kafka!"})}, "hosts[0].name", "must match"),
        ({"kafka": {"replication_factor": 4}}, "kafka.replication_factor", "number of brokers, 3"),
        ({"kafka": {"min_insync_replicas": 3}}, "kafka.min_insync_replicas", "below replication"),
        ({"kafka": {"controllers": 2}}, "kafka.controllers", "odd number"),
        (
            {"kafka": {"metadata": "zookeeper", "version": "4.3.1"}},
            "kafka.version",
            "runs on 3.9.2",
        ),
        ({"kafka": {"version": "3.9.2"}}, "kafka.version", "runs on 4.3.1"),
        ({"kafka": {"metadata": "raft"}}, "kafka.metadata", "kraft or zookeeper"),
        ({"outage_budget": "6h"}, "topics.input.vehicle-position.retention", "must be longer"),
        ({"outage_budget": "6 hours"}, "outage_budget", "a duration such as"),
        ({"topics": [{"name": "t"}, {"name": "t"}]}, "topics", "'t' stands twice"),
        ({"topics": [{"name": "a.b"}, {"name": "a_b"}]}, "topics", "differ only in"),
        ({"topics": [{"name": "a b"}]}, "topics[0].name", "must match"),
        ({"ingest": []}, "ingest", "edge-1 has the role ingest and nothing to run"),
        ({"ingest": ingest(connector={"name": "amqp"})}, "ingest.hfp.connector", "known: console"),
        ({"ingest": ingest(connector={"topics": []})}, "ingest.hfp.connector", "name: is missing"),
        (
            {"ingest": ingest(connector={"name": "mqtt", "topic": "/hfp"})},
            "ingest.hfp.connector",
            "did you mean 'topics'",
        ),
        (
            {"ingest": ingest(processor={"name": "hfp", "modes": "bus"})},
            "ingest.hfp.processor",
            "modes: must be a list",
        ),
        ({"ingest": [*ingest(), *ingest(name="too")]}, "ingest", "share the metrics_port 9110"),
        ({"topics": [{"name": "t"}]}, "topics", "writes to input.dead-letter, which is missing"),
        ({"jobs": jobs({"name": "no-such-job"})}, "jobs.no-such-job", "add `file`"),
        ({"jobs": jobs({"name": "flow-direction"})}, "jobs", "'flow-direction' stands twice"),
        ({"jobs": [{"name": "Flow"}]}, "jobs[0].name", "must match"),
        ({"jobs": [{"name": "flow", "application": "a-b"}]}, "jobs[0].application", "must match"),
        ({"jobs": [{"name": "flow", "guarantee": "never"}]}, "jobs[0].guarantee", "exactly-once"),
        ({"jobs": [{"name": "flow", "opts": {}}]}, "jobs[0].opts", "did you mean 'options'"),
        (
            {"jobs": [{"name": "flow-direction", "options": {"bond": "5s"}}]},
            "jobs.flow-direction",
            "bond",
        ),
        (
            {"jobs": [{"name": "flow-direction", "trigger": "soon"}]},
            "jobs.flow-direction",
            "trigger",
        ),
        (
            {"jobs": [{"name": "speeding", "file": "nowhere/speeding.py"}]},
            "jobs.speeding",
            "cannot be read",
        ),
        (
            {"topics": [{"name": "t"}]},
            "topics",
            "jobs.flow-direction writes to analytics.flow-direction, which is missing",
        ),
        ({"topics": [{"name": "t"}]}, "topics", "jobs.flow-direction reads input.vehicle-position"),
        ({"hosts": groups(spark={"roles": ["spark_master"]})}, "jobs", "add the role job to"),
        ({"hosts": groups(spark={"memory_mib": 1024})}, "hosts.spark.memory_mib", "at least 1280"),
        ({"hosts": groups(worker={"cores": 1})}, "hosts.worker.cores", "a core each; found 1"),
        (
            {"hosts": groups(worker={"memory_mib": 1536})},
            "hosts.worker.memory_mib",
            "one to spare, 2, need at least 2056",
        ),
        ({"jobs": jobs(application="alarms")}, "hosts.spark.memory_mib", "at least 2176"),
        ({"wire": "xml"}, "wire", "binary or json"),
        ({"fleet": {"vehicles": 0}}, "fleet.vehicles", "greater than or equal to 1"),
        (
            {"hosts": groups(store={"roles": ["object_store"]})},
            "ingest.hfp.connector",
            "host: is missing",
        ),
        ({"network": "192.168.0.0/24"}, "network", "inside 198.18.0.0/15"),
        ({"network": "198.18.0.0/16"}, "network", "a /24"),
        ({"network": "here"}, "network", "such as 198.18.7.0/24"),
        ({"provider": "azure"}, "provider", "allowed: lab"),
        ({"name": "other"}, "name", "named by its file"),
    ],
)
def test_a_wrong_file_is_told_where_and_what_is_allowed(changes, key, words):
    said = complaint(**changes)
    assert f"inventories/local.yml: {key}: " in said
    assert words in said


def test_jobs_of_one_application_share_it_and_applications_keep_their_order():
    roomy = groups(spark={"memory_mib": 4096}, worker={"memory_mib": 4096})
    stage = parse(jobs=jobs(application="alarms"), hosts=roomy)
    assert stage.applications() == ["analytics", "alarms"]


def test_a_file_of_ones_own_is_looked_for_beside_the_stage_file(tmp_path, monkeypatch):
    (tmp_path / "copied.py").write_text(
        "from streambed.analytics import Copy\n\n\n"
        "class Copied(Copy):\n"
        '    name = "copied"\n'
        '    input = "input.vehicle-position"\n'
    )
    monkeypatch.setenv("STAGES", str(tmp_path))
    topics = [*LOCAL["topics"], {"name": "analytics.copied"}]
    found = parse(jobs=jobs({"name": "copied", "file": "copied.py"}), topics=topics)
    assert package.job_files(found)["copied"]["path"] == str(tmp_path / "copied.py")


def test_all_that_is_wrong_is_told_at_once():
    said = complaint(kafka={"replication_factor": 9}, hosts=groups(kafka={"count": 4}))
    assert "replication_factor" in said
    assert "odd number" in said


def test_two_groups_with_one_role_need_numbers_that_do_not_meet():
    more = {"name": "big", "count": 2, "roles": ["kafka"], "memory_mib": 1024, "data_gib": 8}
    assert "higher `first`" in complaint(hosts=[*LOCAL["hosts"], more])
    assert len(parse(hosts=[*LOCAL["hosts"], {**more, "first": 4}]).with_role("kafka")) == 5


def test_a_key_that_stands_twice_is_a_mistake():
    with pytest.raises(StageError, match=r"line 2: .*'provider' stands twice"):
        stage.parse("provider: lab\nprovider: lab\n", name="x", file="x.yml")


@pytest.mark.parametrize("text", ["- a\n- b", "", "hosts: [", "just words"])
def test_what_is_no_stage_file_at_all_is_said_so(text):
    with pytest.raises(StageError, match=r"^x\.yml"):
        stage.parse(text, name="x", file="x.yml")


def test_a_missing_stage_names_those_that_exist(tmp_path, monkeypatch):
    (tmp_path / "dev.yml").write_text("")
    monkeypatch.setenv("STAGES", str(tmp_path))
    with pytest.raises(StageError, match=r"no stage 'prod'.*stages: dev"):
        stage.load("prod")
