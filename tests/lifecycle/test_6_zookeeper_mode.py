"""Kafka with its metadata in ZooKeeper is deployed and verified like the other."""

import pytest
from platform_under_test import Platform
from test_2_faults import SteadyWriter, records


@pytest.fixture(scope="module")
def old_way(local, state_home):
    local.make("destroy")
    platform = Platform("local-zookeeper", state_home)
    platform.first_deploy = platform.make("deploy")
    yield platform
    platform.purge()


def test_it_deploys_and_every_check_passes(old_way):
    assert "passed" in old_way.first_deploy.text


def test_a_second_deploy_changes_nothing(old_way):
    assert " 0 tasks changed" in old_way.make("deploy").text


def test_it_is_recreated_with_its_data(old_way):
    with SteadyWriter(old_way.brokers()) as writer:
        while len(writer.acknowledged) < 50:
            pass
    old_way.make("recreate")
    assert set(writer.acknowledged) <= records(old_way.brokers(), writer.run)
