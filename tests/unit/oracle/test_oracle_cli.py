"""What is printed, and the exit code."""

import os
import subprocess
import sys

import pytest
from oracle_stage import HOME, ms
from streambed.oracle import cli
from streambed.oracle.check import JOBS
from streambed.oracle.errors import Failed, Wrong
from streambed.oracle.since import since_ms

JOB = "vehicle-distribution"


@pytest.fixture
def command(stage, monkeypatch, capsys):
    """The command line with the stage in place of Kafka and the bucket."""
    monkeypatch.setattr(cli, "KafkaTopics", lambda bootstrap: stage)
    monkeypatch.setattr(cli, "BucketObjects", lambda *arguments, **options: stage)
    monkeypatch.setattr(cli.gc, "disable", lambda: None)

    def command(*arguments):
        code = cli.main(["--bootstrap", "x", "--bucket", "y", *arguments])
        return code, capsys.readouterr()

    return command


@pytest.fixture
def agreeing(stage):
    stage.position("40/1", 4)
    stage.position("40/9", 14.5, None)
    for job in JOBS:
        stage.commit(job)
    stage.says(JOB, 5, HOME, vehicles=1)
    for offset, record in enumerate(stage.records["input.vehicle-position"][0]):
        key = f"input.vehicle-position/0/{offset}"
        stage.append("analytics.pass-through", key, record.value, [("version", b"0")])
    return stage


def test_all_jobs_agree(agreeing, command):
    code, said = command()
    assert code == 0
    lines = said.out.splitlines()
    assert [line.partition(":")[0] for line in lines[:-1]] == list(JOBS)
    assert "2 records read, 0 late and 0 from the future set aside" in lines[0]
    assert "batch 7 of generation 0, input up to 2023-11-14T22:15:14.500Z" in lines[0]
    assert lines[-1] == "3 compared, 0 missing, 0 wrong, 0 extra"


def test_differences_are_shown_and_told_by_the_exit_code(agreeing, command):
    agreeing.says(JOB, 5, HOME, vehicles=2, version=4)
    code, said = command("--job", JOB)
    assert code == 1
    assert said.out.splitlines()[1:] == [
        f"  wrong {ms(5)}/{HOME:015x}: expected 1 vehicles, found 2 vehicles",
        "1 compared, 0 missing, 1 wrong, 0 extra",
    ]


def test_no_more_than_five_differences_of_a_kind_are_shown(stage, command):
    for second in range(100):
        stage.position("40/1", second)
    stage.commit(JOB)
    code, said = command("--job", JOB)
    assert code == 1
    assert said.out.count("  missing ") == 5
    assert said.out.endswith("\n17 compared, 17 missing, 0 wrong, 0 extra\n")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--job", "speeding"], "There is no oracle for 'speeding'"),
        (["--since", "yesterday"], "SINCE must be a moment such as"),
    ],
)
def test_a_wrong_question_is_refused(agreeing, command, arguments, sentence):
    code, said = command(*arguments)
    assert code == 2
    assert said.err.startswith(sentence)
    assert said.out == ""


def test_a_job_without_a_checkpoint_is_refused(stage, command):
    code, said = command("--job", JOB)
    assert (code, said.err) == (2, f"{JOB} has no checkpoint yet; it has not been started.\n")
    stage.bucket[f"checkpoints/{JOB}/head.json"] = b'{"generation": 0}'
    code, said = command("--job", JOB)
    assert (code, said.err) == (2, f"{JOB} has no checkpoint yet; it has not completed a batch.\n")


def test_lost_input_is_a_failure(agreeing, command):
    agreeing.records["input.vehicle-position"][0].pop()
    code, said = command("--job", JOB)
    assert code == 1
    assert "ends at 1, yet a job consumed it up to 2" in said.err


def test_since_is_a_moment_or_a_duration():
    assert since_ms("10m", 1_000_000) == 400_000
    assert since_ms("1970-01-01T00:00:10Z", 0) == 10_000
    assert since_ms("1970-01-01T00:00:10", 0) == 10_000
    assert since_ms("1970-01-01T02:00:10+02:00", 0) == 10_000
    with pytest.raises(Wrong):
        since_ms("10 weeks", 0)


def test_a_job_that_judges_needs_no_spark():
    """The oracle imports nothing of the jobs that it judges, and no pyspark."""
    code = (
        "import sys, streambed.oracle.cli;"
        "print([n for n in sys.modules if n.startswith(('pyspark', 'streambed.analytics'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": "jobs"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


def test_a_failure_to_read_is_no_verdict(agreeing, command, monkeypatch):
    def fail(topic):
        raise Failed("Kafka does not tell.")

    monkeypatch.setattr(agreeing, "retained", fail)
    code, said = command()
    assert (code, said.err, said.out) == (1, "Kafka does not tell.\n", "")
