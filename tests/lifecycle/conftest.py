"""A stage of its own for the lifecycle tests: real hosts, and nothing left when they end.

Needs root on Linux, about 16 GiB of memory, and three quarters of an hour. State is kept apart from
the user's own stages, at a fixed place, so that a run that crashed is cleaned up by the next one.
"""

import os
from pathlib import Path

import pytest
import yaml
from platform_under_test import LOCAL, Platform, machine_remains

from jobs.build import generate_schema

generate_schema()

from kafka_reader import Reader
from processes import Ingestion

HOME = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "streambed-tests"


@pytest.fixture(scope="session")
def state_home():
    return HOME


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left_behind(state_home):
    for stage in ("local", "local-zookeeper", "tiny"):
        Platform(stage, state_home).purge()
    before = machine_remains()
    yield
    for stage in ("local", "local-zookeeper", "tiny"):
        Platform(stage, state_home).purge()
    assert machine_remains() == before


@pytest.fixture(scope="session")
def local(state_home, nothing_is_left_behind, tmp_path_factory):
    """The embedded stage without its jobs, deployed once from nothing."""
    stages = tmp_path_factory.mktemp("stages")
    (stages / "local.yml").write_text(yaml.safe_dump(LOCAL))
    platform = Platform("local", state_home, stages=stages)
    platform.first_deploy = platform.make("deploy")
    return platform


@pytest.fixture
def changed(local, tmp_path):
    """The deployed stage with another stage file: `changed(kafka={…})`."""

    def change(**keys) -> Platform:
        stages = Path(tmp_path)
        (stages / "local.yml").write_text(yaml.safe_dump({**LOCAL, **keys}))
        return Platform("local", local.state_home, stages=stages)

    return change


@pytest.fixture
def bootstrap(local) -> str:
    return ",".join(local.brokers())


@pytest.fixture
def mqtt(local) -> str:
    return f"{local.addresses['store-1']}:1883"


@pytest.fixture
def kafka(bootstrap):
    """Reads what is written from now on."""
    with Reader(bootstrap) as reader:
        yield reader


@pytest.fixture
def ingestion(tmp_path, bootstrap):
    """Starts ingestions on this machine, and ends those that a test leaves running."""
    started = Ingestion(tmp_path, bootstrap)
    yield started
    started.end_all()


@pytest.fixture(scope="module")
def quiet(local):
    """The stage without its own fleet and ingestion, so that all there is comes from the test."""
    units = [("store-1", "fleet"), *((edge, "ingest-hfp") for edge in local.hosts("edge"))]
    for host, unit in units:
        local.on(host, f"systemctl stop {unit}")
    yield
    for host, unit in reversed(units):
        local.on(host, f"systemctl start {unit}")
