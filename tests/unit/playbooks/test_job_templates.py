"""What a host is given to drive jobs with."""

import pytest
import yaml
from rendering import Host, load

APPLICATION = "job/templates/application"
CONFIG = f"{APPLICATION}/etc/jobs/INSTANCE.yml.j2"
UNIT = f"{APPLICATION}/etc/systemd/system/job-INSTANCE.service.j2"
HEALTH = f"{APPLICATION}/usr/local/lib/streambed/health/job_INSTANCE.py.j2"

install_tree = load("plugins/action/install_tree.py")


def spark_host(application: int = 0, **overrides) -> Host:
    trees = {"__job_host_tree": {"digest": "h"}, "__spark_tree": {"digest": "s"}}
    chosen = Host("spark-2", **overrides).variable("job_applications")[application]
    return Host("spark-2", job_application=chosen, **trees, **overrides)


def config(host: Host) -> dict:
    return yaml.safe_load(host.file(CONFIG))


def digest(host: Host) -> str:
    """As the role has it made: the unit, and what the application as a whole runs with."""
    files = [
        {"path": "/etc/jobs/analytics.yml", "content": host.file(CONFIG)},
        {"path": "/etc/systemd/system/job-analytics.service", "content": host.file(UNIT)},
    ]
    live = frozenset({"/etc/jobs/analytics.yml"})
    return install_tree.digest(files, host.variable("__job_also"), live)


def test_an_application_is_told_where_everything_is():
    found = config(spark_host())
    assert (found["application"], found["address"]) == ("analytics", "10.0.5.2")
    assert found["bootstrap"].count(":9092") == found["zookeeper"].count(":2181") == 5
    assert found["bucket"]["secret_key"] == "secret"
    assert (found["wire"], found["shuffle_partitions"]) == ("json", 2)


def test_applications_have_ports_in_their_order_and_their_own_jobs():
    found = [config(spark_host(number)) for number in (0, 1)]
    assert [each["metrics_port"] for each in found] == [9120, 9121]
    assert [[job["name"] for job in each["jobs"]] for each in found] == [
        ["flow-direction", "pass-through"],
        ["emergency-stop"],
    ]


def test_a_job_is_named_with_its_options_and_the_content_of_its_file():
    assert config(spark_host())["jobs"][0] == {
        "name": "flow-direction",
        "file": "/usr/local/lib/streambed-jobs/flow-direction-of-flow-direction.py",
        "options": {"bound": "5s"},
        "trigger": None,
        "guarantee": None,
    }


def test_on_aws_there_are_no_keys_to_hand_out():
    bucket = {"name": "b", "region": "eu-north-1", "endpoint": None, "access_key": None}
    found = config(spark_host(streambed_bucket=bucket))["bucket"]
    assert found == {"name": "b", "region": "eu-north-1"}


def test_the_unit_is_hardened_and_carries_its_digest():
    lines = spark_host().file(UNIT).splitlines()
    assert {
        "Environment=STREAMBED_CONFIG=@STREAMBED_CONFIG@",
        "Environment=PYTHONPATH=/usr/local/lib/streambed-d3.zip",
        "User=spark",
        "KillMode=mixed",
        "RestartPreventExitStatus=2",
        "TimeoutStopSec=45",
        "ProtectSystem=strict",
        "NoNewPrivileges=yes",
        "CapabilityBoundingSet=",
    } <= set(lines)


@pytest.mark.parametrize("change", [{"options": {"bound": "9s"}}, {"digest": "another file"}])
def test_a_changed_job_does_not_restart_its_application(change):
    before = spark_host()
    application = before.variable("job_application")
    job, *others = application["jobs"]
    after = spark_host()
    after.templar.available_variables["job_application"] = application | {
        "jobs": [job | change, *others]
    }
    assert config(after) != config(before)
    assert digest(after) == digest(before)


@pytest.mark.parametrize(
    "change",
    [{"job_digest": "d4"}, {"job_wire": "binary"}, {"job_shuffle_partitions": 4}],
)
def test_changed_code_and_settings_do(change):
    assert digest(spark_host(**change)) != digest(spark_host())


def test_ingestion_is_not_touched_by_a_change_of_jobs():
    before = Host("edge-1").variable("ingest_digest")
    package = {"archive": "/a.zip", "digest": "new", "ingest": "d2", "jobs": "new"}
    assert Host("edge-1", streambed_package=package).variable("ingest_digest") == before


def test_drivers_and_executors_fit_beside_what_else_is_there():
    host, worker = spark_host(), Host("worker-1")
    spark = config(host)["spark"]
    heap = int(spark["spark.driver.memory"].removesuffix("m"))
    assert heap == 480
    assert 2 * heap + host.variable("spark_master_heap_mib") < host.host["memory_mib"]
    executor = int(spark["spark.executor.memory"].removesuffix("m"))
    assert 3 * executor <= worker.variable("spark_worker_memory_mib"), "one to spare"
    assert spark["spark.ui.enabled"] is False


def test_one_application_has_an_executor_of_two_cores_on_each_worker_and_leaves_one_core():
    spark = config(spark_host(streambed_applications=["analytics"]))["spark"]
    assert (spark["spark.executor.cores"], spark["spark.cores.max"]) == (2, 4)


@pytest.fixture
def health():
    names: dict = {}
    exec(spark_host().file(HEALTH), names)
    return names


def application(*jobs, driver="spark-1", waiting=("spark-2", "spark-3")) -> dict:
    return {
        "driver": driver and {"host": driver, "address": "10.0.5.1:9120"},
        "waiting": list(waiting),
        "hosts": 3,
        "jobs": [
            {"name": name, "state": state, "wanted": wanted, "sentence": "why"}
            for name, state, wanted in jobs
        ],
    }


FLOW = ("flow-direction", "running", "running")


class TestHealth:
    def test_jobs_that_are_as_they_are_wanted_are_well(self, health):
        found = application(FLOW, ("late-one", "stopped", "stopped"))
        said = health["judge"](found, "spark-2")
        assert said == "spark-1 drives, 1 jobs running, 1 stopped by an operator"

    def test_a_job_that_failed_is_told_with_its_reason(self, health):
        with pytest.raises(RuntimeError, match="late-one is failed: why"):
            health["judge"](application(FLOW, ("late-one", "failed", "running")), "spark-1")

    def test_a_host_that_does_not_take_part_is_unwell(self, health):
        with pytest.raises(RuntimeError, match="neither drives nor waits"):
            health["judge"](application(FLOW), "spark-9")

    def test_without_a_driver_no_host_is_well(self, health):
        with pytest.raises(RuntimeError):
            health["judge"](application(FLOW, driver=None, waiting=()), "spark-1")

    def test_a_driver_may_stop_while_another_host_waits(self, health):
        assert health["judge_stop"](application(FLOW), "spark-1") == "2 other hosts could take over"
        assert health["judge_stop"](application(FLOW), "spark-2") == "another host drives"
        with pytest.raises(RuntimeError, match="no other host waits"):
            health["judge_stop"](application(FLOW, waiting=()), "spark-1")

    def test_the_only_host_may_always_stop(self, health):
        alone = application(FLOW, waiting=()) | {"hosts": 1}
        assert health["judge_stop"](alone, "spark-1") == "0 other hosts could take over"
