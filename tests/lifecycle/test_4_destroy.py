"""The cluster goes without a trace and comes back with its data, also after a killed deploy."""

import os
import signal

from platform_under_test import machine_remains
from test_2_faults import TOPIC, SteadyWriter, records


def test_destroy_leaves_nothing_and_deploy_brings_the_data_back(local):
    with SteadyWriter(local.brokers()) as writer:
        while len(writer.acknowledged) < 50:
            pass
    said = local.make("destroy").text
    assert "Kept: 4 data volumes" in said
    left = machine_remains()
    for kind, things in left.items():
        assert not {thing for thing in things if local.state.name in thing}, kind
    assert not left["network namespaces"]
    local.make("deploy")
    assert set(writer.acknowledged) <= records(local.brokers(), writer.run), TOPIC


def test_destroy_cleans_up_after_a_deploy_that_was_killed_half_way(local):
    local.make("destroy")
    before = machine_remains()
    deploy = local.start("deploy")
    for line in deploy.stdout:
        if line.startswith("cluster:"):
            break
    # Hosts are being made now; whatever has been made so far, no state file may know of it.
    os.killpg(deploy.pid, signal.SIGKILL)
    deploy.wait()
    local.make("destroy")
    assert machine_remains() == before


def test_a_deploy_that_was_killed_while_configuring_is_taken_up_again(local):
    deploy = local.start("deploy")
    for line in deploy.stdout:
        if line.startswith("configure:"):
            break
    os.killpg(deploy.pid, signal.SIGKILL)
    deploy.wait()
    said = local.make("deploy").text
    assert "passed" in said
