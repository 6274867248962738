"""A stage of its own for the lifecycle tests: real hosts, and nothing left when they end.

Needs root on Linux, about 11 GiB of memory, and some ten minutes. State is kept apart from the
user's own stages, at a fixed place, so that a run that crashed is cleaned up by the next one.
"""

import os
from pathlib import Path

import pytest
from platform_under_test import Platform, machine_remains

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
def local(state_home, nothing_is_left_behind):
    """The embedded stage, deployed once from nothing."""
    platform = Platform("local", state_home)
    platform.first_deploy = platform.make("deploy")
    return platform
