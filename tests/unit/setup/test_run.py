import threading
import time

import pytest

from infra.setup.errors import SetupError, Stopped
from infra.setup.run import allow_all, run
from infra.setup.side_by_side import side_by_side


@pytest.fixture(autouse=True)
def allow_again():
    yield
    allow_all()


def test_a_failure_names_the_work_the_command_the_log_and_what_to_do(tmp_path):
    log = tmp_path / "log"
    with pytest.raises(SetupError) as failure:
        run(["sh", "-c", "echo broken; exit 3"], log=log, what="Building a thing")

    sentence = str(failure.value)
    assert sentence.startswith("Building a thing failed: `sh -c")
    assert "status 3" in sentence
    assert str(log) in sentence
    assert "run the same command again" in sentence
    assert "broken" in log.read_text()


def test_a_command_that_is_not_installed_is_a_sentence_too(tmp_path):
    with pytest.raises(SetupError, match="Building a thing failed: `no-such-program`"):
        run(["no-such-program"], log=tmp_path / "log", what="Building a thing")


def test_a_command_has_no_standard_input_to_wait_for(tmp_path):
    run(["cat"], log=tmp_path / "log", what="Reading")


def test_a_command_that_is_not_stoppable_comes_to_its_end(tmp_path):
    done = tmp_path / "done"

    def unstoppable():
        command = ["sh", "-c", f"sleep 0.3; touch {done}"]
        run(command, log=tmp_path / "log", what="Installing", stoppable=False)

    def broken():
        time.sleep(0.1)
        raise SetupError("the cause")

    with pytest.raises(SetupError, match="the cause"):
        side_by_side(unstoppable=unstoppable, broken=broken)
    assert done.exists()


def test_results_come_back_by_name():
    assert side_by_side(one=lambda: 1, two=lambda: 2) == {"one": 1, "two": 2}


def test_the_first_failure_stops_the_others_and_is_the_one_raised(tmp_path):
    running = threading.Event()

    def slow():
        running.set()
        run(["sleep", "60"], log=tmp_path / "slow", what="Sleeping")

    def broken():
        running.wait()
        time.sleep(0.1)
        raise SetupError("the cause")

    start = time.monotonic()
    with pytest.raises(SetupError, match="the cause"):
        side_by_side(slow=slow, nested=lambda: side_by_side(broken=broken))
    assert time.monotonic() - start < 10


def test_after_a_failure_nothing_new_is_started(tmp_path):
    with pytest.raises(SetupError, match="the cause"):
        side_by_side(broken=_raise_the_cause)
    with pytest.raises(Stopped):
        run(["true"], log=tmp_path / "log", what="Starting late")


def _raise_the_cause():
    raise SetupError("the cause")
