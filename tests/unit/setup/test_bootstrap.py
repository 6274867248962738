import os
import platform
import shutil
import subprocess

import pytest

from infra.setup import bootstrap, jars, tools
from infra.setup.cache import SetupError


@pytest.fixture
def fitting_machine(monkeypatch):
    monkeypatch.setattr(platform, "system", lambda: "Linux")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    debian = {"VERSION_CODENAME": "bookworm", "PRETTY_NAME": "Debian GNU/Linux 12 (bookworm)"}
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: debian)
    return debian


def test_a_debian_12_machine_and_root_are_accepted(fitting_machine):
    bootstrap.check_machine()


def test_another_system_is_named(fitting_machine, monkeypatch):
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    with pytest.raises(SetupError, match="needs Linux, and this is Darwin"):
        bootstrap.check_machine()


def test_another_distribution_is_named(fitting_machine):
    fitting_machine.update(VERSION_CODENAME="noble", PRETTY_NAME="Ubuntu 24.04 LTS")
    with pytest.raises(SetupError, match=r"this is Ubuntu 24\.04 LTS"):
        bootstrap.check_machine()


def test_another_user_than_root_is_told_how_to_become_it(fitting_machine, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(SetupError, match="as root or with sudo"):
        bootstrap.check_machine()


@pytest.fixture
def nothing_built(monkeypatch):
    monkeypatch.setattr(tools, "go_is_needed", lambda: True)
    monkeypatch.setattr(jars, "maven_is_needed", lambda: True)


def programs(monkeypatch, answers):
    """Put on PATH, as far as the checks can see, exactly the programs of `answers`."""
    monkeypatch.setattr(shutil, "which", lambda name: name if name in answers else None)
    monkeypatch.setattr(
        subprocess,
        "run",
        lambda command, **_: subprocess.CompletedProcess(command, 0, answers[command[0]], ""),
    )


FITTING = {
    "go": "go version go1.26.8 linux/amd64",
    "java": 'openjdk version "17.0.15"',
    "mvn": "Apache Maven 3.8.7",
}


def test_fitting_build_tools_are_accepted(nothing_built, monkeypatch):
    programs(monkeypatch, FITTING)
    bootstrap.check_build_tools()


@pytest.mark.parametrize("missing", ["go", "java", "mvn"])
def test_a_missing_build_tool_is_named(nothing_built, monkeypatch, missing):
    programs(monkeypatch, {name: said for name, said in FITTING.items() if name != missing})
    with pytest.raises(SetupError, match=f"no `{missing}`"):
        bootstrap.check_build_tools()


def test_an_old_go_is_quoted(nothing_built, monkeypatch):
    programs(monkeypatch, FITTING | {"go": "go version go1.19.8 linux/amd64"})
    with pytest.raises(SetupError, match=r"go 1\.25\.11 or newer .* says `go version go1\.19\.8"):
        bootstrap.check_build_tools()


def test_build_tools_are_not_asked_for_when_everything_is_built(monkeypatch):
    programs(monkeypatch, {})
    monkeypatch.setattr(tools, "go_is_needed", lambda: False)
    monkeypatch.setattr(jars, "maven_is_needed", lambda: False)
    bootstrap.check_build_tools()
