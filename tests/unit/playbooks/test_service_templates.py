import pytest
from rendering import Host

UNITS = {
    "kafka-1": "kafka/templates/any/etc/systemd/system/kafka.service.j2",
    "kafka-2": "zookeeper/templates/etc/systemd/system/zookeeper.service.j2",
    "spark-1": "spark_master/templates/etc/systemd/system/spark-master.service.j2",
    "worker-1": "spark_worker/templates/etc/systemd/system/spark-worker.service.j2",
    "store-1": "object_store/templates/etc/systemd/system/object-store.service.j2",
}
MASTERS = "10.0.5.1:7077,10.0.5.2:7077,10.0.5.3:7077"


@pytest.mark.parametrize(("name", "unit"), UNITS.items())
def test_every_unit_is_hardened_and_carries_its_digest(name, unit):
    lines = Host(name).file(unit).splitlines()
    wanted = {
        "Environment=STREAMBED_CONFIG=@STREAMBED_CONFIG@",
        "NoNewPrivileges=yes",
        "ProtectSystem=strict",
        "CapabilityBoundingSet=",
        "LimitNOFILE=20000",
        "Restart=always",
        "StartLimitIntervalSec=0",
    }
    assert wanted <= set(lines)
    assert any(line.startswith("User=") and line != "User=root" for line in lines)


@pytest.mark.parametrize("name", ["kafka-1", "kafka-2", "store-1"])
def test_what_keeps_data_needs_the_volume(name):
    assert "Requires=streambed-data.service" in Host(name).file(UNITS[name])


def test_zookeeper_sessions_end_soon_enough_for_a_failover():
    config = Host("kafka-2").properties("zookeeper/templates/etc/zookeeper/zoo.cfg.j2")
    assert config["maxSessionTimeout"] == "5000"
    assert 2 * int(config["tickTime"]) <= int(config["maxSessionTimeout"])


def test_zookeeper_knows_its_peers_by_number_and_binds_to_its_address():
    config = Host("kafka-2").properties("zookeeper/templates/etc/zookeeper/zoo.cfg.j2")
    servers = [f"10.0.5.{number}:2888:3888" for number in (1, 2, 3, 4, 5)]
    assert [config[f"server.{number}"] for number in (1, 2, 3, 4, 5)] == servers
    assert config["clientPortAddress"] == config["metricsProvider.httpHost"] == "10.0.5.2"
    assert config["admin.enableServer"] == "false"


def test_a_master_recovers_through_zookeeper_and_has_no_rest_interface():
    config = Host("spark-1").properties("spark_master/templates/etc/spark/master.conf.j2", " ")
    assert config["spark.deploy.recoveryMode"] == "ZOOKEEPER"
    assert config["spark.deploy.zookeeper.url"].count(":2181") == 5
    assert config["spark.master.rest.enabled"] == "false"


def test_a_worker_names_all_masters_and_keeps_memory_for_itself():
    worker = Host("worker-1")
    offered, executor = (
        worker.variable(name) for name in ("spark_worker_memory_mib", "spark_executor_memory_mib")
    )
    assert f"spark://{MASTERS}" in worker.file(UNITS["worker-1"])
    assert 2 * executor <= offered < 0.7 * worker.host["memory_mib"]
    assert executor >= 450, "Spark refuses executors that are smaller"


def test_jobs_find_the_masters_and_the_bucket():
    config = Host("spark-1").properties("spark/templates/etc/spark/spark-defaults.conf.j2", " ")
    assert config["spark.master"] == f"spark://{MASTERS}"
    assert config["spark.hadoop.fs.s3a.endpoint"] == "http://10.0.5.1:7070"
    assert config["spark.hadoop.fs.s3a.secret.key"] == "secret"


def test_on_aws_the_hosts_own_role_opens_the_bucket():
    bucket = {"name": "b", "region": "eu-north-1", "endpoint": None, "access_key": None}
    config = Host("spark-1", streambed_bucket=bucket).properties(
        "spark/templates/etc/spark/spark-defaults.conf.j2", " "
    )
    assert config["spark.hadoop.fs.s3a.endpoint.region"] == "eu-north-1"
    assert not {key for key in config if "key" in key or "credentials" in key}
