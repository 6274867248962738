"""Clones on one machine live beside each other, and what is in the way is named."""

import shutil
import subprocess

import pytest
import yaml
from platform_under_test import Platform, clone_to, machine_remains

TINY = {
    "provider": "lab",
    "zones": ["a"],
    "hosts": [
        {"name": "edge", "count": 1, "roles": ["object_store"], "memory_mib": 256, "data_gib": 1}
    ],
    "may_destroy": ["cluster", "foundation"],
}


@pytest.fixture
def stages(tmp_path):
    def write(**keys):
        (tmp_path / "tiny.yml").write_text(yaml.safe_dump({**TINY, **keys}))
        return tmp_path

    return write


def test_a_second_clone_deploys_beside_the_first_and_both_stay_whole(state_home, stages, tmp_path):
    here = Platform("tiny", state_home, stages=stages())
    there = Platform("tiny", state_home, stages=stages(), repo=clone_to(tmp_path / "clone"))
    try:
        here.make("deploy")
        there.make("deploy")
        assert here.addresses != there.addresses
        there.make("verify")
        there.purge()
        here.make("verify")
    finally:
        there.purge()
        here.purge()


def test_remains_of_a_clone_that_is_gone_are_removed_by_clean(state_home, stages, tmp_path):
    before = machine_remains()
    gone = Platform("tiny", state_home, stages=stages(), repo=clone_to(tmp_path / "gone"))
    gone.make("deploy")
    shutil.rmtree(gone.repo)
    said = Platform("tiny", state_home, stages=stages()).make("clean").text
    assert "whose clone is gone" in said
    assert machine_remains() == before


def test_a_network_that_is_taken_is_named_and_nothing_is_made(state_home, stages):
    before = machine_remains()
    tiny = Platform("tiny", state_home, stages=stages(network="198.19.255.0/24"))
    _ip("link", "add", "sbtaken", "type", "bridge")
    try:
        _ip("address", "add", "198.19.255.1/24", "dev", "sbtaken")
        _ip("link", "set", "sbtaken", "up")
        said = tiny.make("deploy", expect=1).text
    finally:
        _ip("link", "delete", "sbtaken")
    assert "198.19.255.0/24 is already used" in said
    assert "sbtaken" in said
    tiny.purge()
    assert machine_remains() == before


def test_two_commands_at_once_do_not_meet_on_one_stage(state_home, stages):
    tiny = Platform("tiny", state_home, stages=stages())
    first = tiny.start("deploy")
    for line in first.stdout:
        if line.startswith("foundation:"):
            break
    said = tiny.make("deploy", expect=2).text
    first.stdout.read()
    assert first.wait() == 0
    assert "is at work on this stage" in said
    tiny.purge()


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)
