"""`make oracle`: which jobs are judged, and that the exit code is the oracle's own."""

from types import SimpleNamespace

import pytest
from streambed.oracle.check import JOBS

from infra.commands import oracle
from infra.commands.reach import NotThere
from infra.topology import Bucket


def stage_of(*names):
    return SimpleNamespace(name="local", jobs=tuple(SimpleNamespace(name=name) for name in names))


@pytest.fixture
def ran(monkeypatch):
    """The commands that were run in place of the oracle, which ends with 1."""
    commands = []

    def run(command, **options):
        commands.append((command, options["env"]))
        return SimpleNamespace(returncode=1)

    bucket = Bucket(
        name="b", region="r", endpoint="http://store", access_key="key", secret_key="secret"
    )
    topology = SimpleNamespace(bucket=bucket, kafka_bootstrap="k:9092")
    monkeypatch.setattr(oracle, "deployed", lambda stage: (topology, None))
    monkeypatch.setattr(oracle.subprocess, "run", run)
    monkeypatch.delenv("JOB", raising=False)
    monkeypatch.delenv("SINCE", raising=False)
    return commands


def test_all_jobs_of_the_stage_that_it_can_judge_are_judged(ran, capsys):
    with pytest.raises(SystemExit) as ended:
        oracle.oracle(stage_of("final-stop", "speeding", "pass-through"))
    assert ended.value.code == 1
    ((command, env),) = ran
    assert command[-4:] == ["--job", "final-stop", "--job", "pass-through"]
    assert command[command.index("--endpoint") + 1] == "http://store"
    assert (env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]) == ("key", "secret")
    assert capsys.readouterr().out == "no oracle for speeding\n"


def test_one_job_and_a_time_may_be_named(ran, monkeypatch):
    monkeypatch.setenv("JOB", "pass-through")
    monkeypatch.setenv("SINCE", "10m")
    with pytest.raises(SystemExit):
        oracle.oracle(stage_of("final-stop", "pass-through"))
    assert ran[0][0][-3:] == ["--job", "pass-through", "--since=10m"]


@pytest.mark.parametrize("job", ["emergency-stop", "speeding"])
def test_a_job_that_is_not_there_or_cannot_be_judged_is_refused(ran, monkeypatch, job):
    monkeypatch.setenv("JOB", job)
    with pytest.raises(NotThere, match=job):
        oracle.oracle(stage_of("final-stop", "speeding"))
    assert ran == []


def test_a_stage_without_jobs_is_told(ran):
    with pytest.raises(NotThere, match="no job"):
        oracle.oracle(stage_of())


def test_the_command_knows_what_the_oracle_can_judge():
    assert set(oracle.JUDGED) == set(JOBS)
