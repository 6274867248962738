"""Every role's unit runs, comes back by itself, and may do no more than it must."""

import pytest
from deployed import UNITS, targets

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
    return {role: unit(UNITS[role]) for role in me.roles}


def test_the_units_run_and_start_at_boot(units):
    for role, unit in units.items():
        assert (unit["ActiveState"], unit["SubState"]) == ("active", "running"), role
        assert unit["UnitFileState"] == "enabled", role


def test_the_units_run_as_users_of_their_own(units):
    users = {role: unit["User"] for role, unit in units.items()}
    assert "root" not in users.values()
    assert "" not in users.values()
    assert len(set(users.values())) == len(users)


def test_the_units_are_hardened(units):
    for role, unit in units.items():
        assert {key: unit[key] for key in HARDENED} == HARDENED, role


def test_the_running_process_has_the_configuration_and_the_version_of_its_unit(host, units):
    """A unit carries the digest of its configuration; a process keeps the one it began with."""
    for role, unit in units.items():
        wanted = [word for word in unit["Environment"].split() if word.startswith("STREAMBED_")]
        running = host.file(f"/proc/{unit['MainPID']}/environ").content_string.split("\0")
        assert wanted, role
        assert set(wanted) <= set(running), role
