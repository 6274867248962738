"""A stage comes up whole from one command, and a second one finds nothing to do."""

import re

UNITS = {
    "kafka": ("kafka", "zookeeper"),
    "spark": ("spark-master",),
    "worker": ("spark-worker",),
    "edge": ("ingest-hfp",),
    "store": ("object-store", "mqtt-broker", "fleet"),
}


def processes(platform) -> dict[str, int]:
    return {
        f"{host}/{unit}": platform.main_process(host, unit)
        for group, units in UNITS.items()
        for host in platform.hosts(group)
        for unit in units
    }


def test_deploy_ends_with_what_runs_where_and_the_seconds_of_each_phase(local):
    said = local.first_deploy.text
    for host, address in local.addresses.items():
        assert host in said
        assert address in said
    assert re.search(r"\d+ passed", said)
    assert re.search(r"Total [\d.]+ s \(set up .*foundation .*cluster .*configure .*verify", said)


def test_a_second_deploy_changes_nothing_and_restarts_nothing(local):
    before = processes(local)
    said = local.make("deploy").text
    assert " 0 tasks changed" in said
    assert "nothing changed, nothing was restarted" in said
    assert processes(local) == before


def test_the_plan_of_a_deployed_stage_is_empty(local):
    said = local.make("plan").text
    assert "created" not in said
    assert " 0 tasks changed" in said


def test_status_tells_that_every_host_is_running(local):
    said = local.make("status").text
    assert said.count("running") == len(local.addresses)


def test_the_inventory_groups_hosts_by_role(local):
    said = local.make("inventory").text
    for role in ("kafka", "zookeeper", "spark_master", "spark_worker", "object_store", "ingest"):
        assert f"@{role}:" in said


def test_logs_show_the_journal_of_a_unit(local):
    assert "kafka" in local.make("logs", HOST="kafka-1", UNIT="kafka").text
