"""What cannot work is said in a sentence, before anything is touched."""

import os
import subprocess

import pytest
import yaml
from platform_under_test import REPO, Platform, machine_remains

LOCAL = yaml.safe_load((REPO / "inventories" / "local.yml").read_text())


@pytest.fixture
def deploy(state_home, tmp_path):
    """Deploy the local stage with changes, expecting a refusal; returns what was said."""

    def refused(*, without=(), environment=None, **keys) -> str:
        (tmp_path / "local.yml").write_text(yaml.safe_dump({**LOCAL, **keys}))
        platform = Platform("local", state_home, stages=tmp_path)
        platform.environment |= environment or {}
        if without:
            platform.environment["PATH"] = _path_without(without, tmp_path / "bin")
        before = machine_remains()
        said = platform.make("deploy", expect=2).text
        assert machine_remains() == before
        assert not platform.state.exists()
        assert "Traceback" not in said
        return said

    return refused


def test_a_broken_stage_file(deploy):
    said = deploy(kafka={"replication_factor": 5})
    assert "local.yml: kafka.replication_factor: at most the number of brokers, 3; found 5" in said


def test_a_stage_that_does_not_exist(state_home):
    said = Platform("nowhere", state_home).make("deploy", expect=2).text
    assert "no stage 'nowhere'" in said


def test_more_memory_than_the_machine_has(deploy):
    hosts = [{**group, "memory_mib": 1 << 20} for group in LOCAL["hosts"]]
    assert "this machine has" in deploy(hosts=hosts)


@pytest.mark.parametrize("tool", ["go", "mvn", "java"])
def test_a_missing_tool(deploy, tool, tmp_path):
    said = deploy(without=(tool,), environment={"XDG_CACHE_HOME": str(tmp_path / "cache")})
    assert tool in said
    assert "install" in said.lower()


def test_no_root():
    nobody = ("setpriv", "--reuid=65534", "--clear-groups")
    done = subprocess.run(
        [*nobody, "python3", "-B", "-m", "infra.setup.bootstrap"],
        cwd=REPO,
        env={"HOME": "/nonexistent", "PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "root" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupted_download_leaves_nothing_that_looks_finished(state_home, tmp_path):
    platform = Platform("local", state_home)
    # Nobody listens there: every fetch breaks off.
    dead = dict.fromkeys(("https_proxy", "http_proxy", "HTTPS_PROXY"), "http://127.0.0.1:9")
    cache = tmp_path / "cache"
    platform.environment |= dead | {"XDG_CACHE_HOME": str(cache), "PIP_RETRIES": "0"}
    said = platform.make("deploy", expect=1).text
    assert "Traceback" not in said
    assert "again" in said
    assert not list(cache.glob("**/.complete"))


def _path_without(tools: tuple[str, ...], folder) -> str:
    """A PATH with everything on it but some tools."""
    folder.mkdir()
    for directory in reversed(os.environ["PATH"].split(":")):
        if os.path.isdir(directory):
            for name in os.listdir(directory):
                link = folder / name
                link.unlink(missing_ok=True)
                if name not in tools:
                    link.symlink_to(os.path.join(directory, name))
    return str(folder)
