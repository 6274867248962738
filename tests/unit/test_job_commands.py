"""What `make jobs` and `make job-…` ask of the hosts, and what they refuse."""

import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from infra import stage, table
from infra.commands import jobs
from infra.commands.destroy import Refused
from infra.commands.reach import NotThere

LOCAL = stage.load("local")


@pytest.fixture
def hosts(monkeypatch):
    """Answers by host: (code, output, error). Returns what was asked."""
    asked = []

    def of(**answers):
        names = [SimpleNamespace(name=name) for name in answers]
        topology = SimpleNamespace(with_role=lambda role: names)
        monkeypatch.setattr(jobs, "deployed", lambda stage: (topology, Path("config")))

        def run(config, host, command):
            asked.append((host, command))
            return subprocess.CompletedProcess([], *answers[host])

        monkeypatch.setattr(jobs, "_run", run)
        return asked

    return of


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: False))
    monkeypatch.delenv("CONFIRM", raising=False)
    monkeypatch.setenv("JOB", "flow-direction")


def test_the_first_host_that_answers_is_asked(hosts, capsys):
    asked = hosts(a=(255, "", "no route"), b=(0, "flow-direction is stopped.\n", ""), c=(0, "", ""))
    jobs.stop(LOCAL)
    assert asked == [(host, "streambed-jobs stop flow-direction") for host in ("a", "b")]
    assert capsys.readouterr().out == "flow-direction is stopped.\n"


def test_what_a_host_says_against_it_is_told(hosts):
    hosts(a=(1, "", "not stopped after 60 s\n"), b=(0, "", ""))
    with pytest.raises(jobs.JobError, match="not stopped after 60 s"):
        jobs.stop(LOCAL)
    hosts(a=(2, "", "start it instead"))
    with pytest.raises(Refused, match="start it instead"):
        jobs.restart(LOCAL)


def test_nobody_who_answers_is_a_failure(hosts):
    hosts(a=(255, "", ""), b=(255, "", ""))
    with pytest.raises(jobs.JobError, match="None of a, b answers"):
        jobs.jobs(LOCAL)


def test_an_unknown_job_is_refused_before_anybody_is_asked(hosts, monkeypatch):
    asked = hosts(a=(0, "", ""))
    monkeypatch.setenv("JOB", "flow")
    with pytest.raises(NotThere, match=r"vehicle-distribution, .*; found 'flow'"):
        jobs.start(LOCAL)
    assert asked == []


def test_a_reset_says_what_is_lost_and_wants_it_in_writing(hosts, monkeypatch):
    asked = hosts(a=(0, "", ""))
    with pytest.raises(Refused, match=r"discards the checkpoint of flow-direction.*CONFIRM=flow"):
        jobs.reset(LOCAL)
    monkeypatch.setenv("CONFIRM", "pass-through")
    with pytest.raises(Refused):
        jobs.reset(LOCAL)
    assert asked == []
    monkeypatch.setenv("CONFIRM", "flow-direction")
    jobs.reset(LOCAL)
    assert asked == [("a", "streambed-jobs reset flow-direction")]


@pytest.mark.parametrize(("typed", "resets"), [("flow-direction", True), ("y", False)])
def test_on_a_terminal_somebody_is_asked(hosts, monkeypatch, typed, resets):
    asked = hosts(a=(0, "", ""))
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", lambda question: typed)
    if resets:
        jobs.reset(LOCAL)
    else:
        with pytest.raises(Refused, match="Nothing was reset"):
            jobs.reset(LOCAL)
    assert bool(asked) is resets


def test_the_table_shows_what_a_job_tells_and_why_it_is_unwell(capsys):
    running = {"name": "flow-direction", "state": "running", "lag": 1200, "input_per_second": 98.64}
    failed = {"name": "final-stop", "state": "failed", "sentence": "the bucket is away"}
    table.jobs(
        [
            {"application": "analytics", "driver": {"host": "spark-2"}, "jobs": [running, failed]},
            {"application": "alarms", "driver": None, "jobs": []},
        ]
    )
    said = capsys.readouterr().out
    for word in ("flow-direction", "spark-2", "1,200", "98.6", "final-stop: the bucket is away"):
        assert word in said
