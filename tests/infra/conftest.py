"""What every infrastructure test may ask for."""

import pytest
from deployed import stage, topology
from kafka.admin import KafkaAdminClient

# What a stage does not have cannot be tested on it.
NEEDS = {
    "test_kafka.py": "kafka",
    "test_zookeeper.py": "zookeeper",
    "test_spark.py": "spark_master",
    "test_spark_job.py": "spark_worker",
    "test_object_store.py": "object_store",
    "test_mqtt_broker.py": "mqtt_broker",
    "test_ingest.py": "ingest",
    "test_jobs.py": "job",
}
collect_ignore = [file for file, role in NEEDS.items() if not stage().with_role(role)]


def pytest_configure():
    topology()  # before workers are started, so that they need not ask


@pytest.fixture
def me(host):
    """The host under test as the topology has it."""
    return topology().host(host.backend.get_hostname())


@pytest.fixture(scope="session")
def answers():
    """What hosts have answered: nothing here changes them, so no question is put twice."""
    return {}


@pytest.fixture
def ask(host, answers):
    """Run a command on the host under test, or remember what it said."""

    def run(command):
        key = (host.backend.get_hostname(), command)
        if key not in answers:
            answers[key] = host.check_output(command)
        return answers[key]

    return run


@pytest.fixture
def listening(ask):
    """`address:port` of everything that listens on this host."""
    lines = ask("ss --no-header --listening --tcp --numeric").splitlines()
    return {line.split()[3].replace("[::ffff:", "").replace("]", "") for line in lines}


@pytest.fixture
def unit(ask):
    """Ask systemd about a unit: `unit("kafka")["NRestarts"]`."""

    def show(name):
        # --all: systemd leaves out what is empty, and an empty list of rights says the most.
        lines = ask(f"systemctl show --all {name}").splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    return show


@pytest.fixture
def properties(ask):
    """The settings of a properties file of this host."""

    def read(path):
        lines = ask(f"cat {path}").splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line and line[0] != "#")

    return read


@pytest.fixture(scope="session")
def bootstrap():
    return [f"{host.address}:9092" for host in topology().with_role("kafka")]


@pytest.fixture(scope="session")
def admin(bootstrap):
    client = KafkaAdminClient(bootstrap_servers=bootstrap)
    yield client
    client.close()


@pytest.fixture(scope="session")
def declared():
    return stage()


def pytest_collection_modifyitems(items):
    """The longest first: the others run beside it."""
    items.sort(key=lambda item: "test_spark_job" not in item.nodeid)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """When a check on a host fails, show what its services said last."""
    report = (yield).get_result()
    host = getattr(item, "funcargs", {}).get("host")
    if report.when == "call" and report.failed and host is not None:
        journal = host.run("journalctl --no-pager --priority=warning --lines=30").stdout
        report.sections.append(("journal of the host", journal))
