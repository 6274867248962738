"""Processes as spark-submit makes them: a leader, Python under it, and workers in a group apart."""

import os
import sys
import time

import pytest
from streambed.analytics.driver_process import DriverProcess

LEADER = """\
import subprocess, sys
sys.exit(subprocess.call([sys.executable, *sys.argv[1:]]))
"""

DRIVER = """\
import pathlib, signal, subprocess, sys, time
here = pathlib.Path(__file__).parent
worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], process_group=0)
signal.signal(signal.SIGTERM, lambda *_: (worker.kill(), (here / "asked").touch(), sys.exit(3)))
(here / "worker").write_text(str(worker.pid))
time.sleep(60)
"""


@pytest.fixture
def driver(tmp_path):
    for name, code in (("leader.py", LEADER), ("drive.py", DRIVER)):
        (tmp_path / name).write_text(code)
    main = str(tmp_path / "drive.py")
    process = DriverProcess([sys.executable, str(tmp_path / "leader.py"), main], main=main)
    yield process
    if process._leader.returncode is None:
        process.kill()


def until(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def started(folder):
    file = folder / "worker"
    until(lambda: file.exists() and file.read_text())
    return int(file.read_text())


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def test_killing_leaves_nothing_behind_whatever_group_it_is_in(driver, tmp_path):
    worker = started(tmp_path)
    processes = [process.pid for process in driver._processes()]
    assert worker in processes
    assert len(processes) == 3
    assert driver.kill() == -9
    assert not any(alive(pid) for pid in processes)


def test_only_python_is_asked_to_end_and_its_code_is_handed_on(driver, tmp_path):
    started(tmp_path)
    assert not driver.ended()
    driver.ask_to_end()
    until(driver.ended)
    assert (tmp_path / "asked").exists()
    assert driver.ended(), "asking does not forget it"
    assert driver.kill() == 3


def test_the_processes_are_in_a_session_of_their_own(driver, tmp_path):
    assert os.getsid(started(tmp_path)) != os.getsid(0)
