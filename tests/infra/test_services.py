"""Every role's unit runs, comes back by itself, and may do no more than it must."""

import pytest
from deployed import targets
from deployed import units as units_of

testinfra_hosts = targets()

HARDENED = {
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "CapabilityBoundingSet": "",  # none at all
    "LimitNOFILE": "20000",
    "Restart": "always",
}


@pytest.fixture
def units(me, unit):
    return {name: unit(name) for role in me.roles for name in units_of(role)}


def test_the_units_run_and_start_at_boot(units):
    for name, unit in units.items():
        assert (unit["ActiveState"], unit["SubState"]) == ("active", "running"), name
        assert unit["UnitFileState"] == "enabled", name


def test_every_role_has_a_user_of_its_own(units, me):
    users = {name: unit["User"] for name, unit in units.items()}
    assert "root" not in users.values()
    assert "" not in users.values()
    # What drives jobs is a part of Spark, and reads Spark's configuration with the bucket's keys.
    of_spark = {"spark_master", "spark_worker", "job"}
    roles = {"spark" if role in of_spark else role for role in me.roles}
    assert len(set(users.values())) == len(roles)


def test_the_units_are_hardened(units):
    for name, unit in units.items():
        assert {key: unit[key] for key in HARDENED} == HARDENED, name


def test_the_running_process_has_the_configuration_and_the_version_of_its_unit(host, units):
    """A unit carries the digest of its configuration; a process keeps the one it began with."""
    for name, unit in units.items():
        wanted = [word for word in unit["Environment"].split() if word.startswith("STREAMBED_")]
        running = host.file(f"/proc/{unit['MainPID']}/environ").content_string.split("\0")
        assert wanted, name
        assert set(wanted) <= set(running), name
