"""Operators' wishes reach the driver through ZooKeeper, and are told to be done when they are."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest
from kazoo.exceptions import BadVersionError, NodeExistsError, NoNodeError
from streambed.analytics import applications, wanted
from streambed.analytics.applications import Application
from streambed.analytics.control import Control, NotDone, Wrong
from streambed.analytics.wanted import Wanted

APPLICATION = Application("analytics", "zk:2181", ("flow-direction", "pass-through"))


class FakeZooKeeper:
    def __init__(self):
        self.nodes: dict[str, tuple[bytes, int]] = {}
        self.before_set = lambda: None

    def get(self, path):
        if path not in self.nodes:
            raise NoNodeError
        data, version = self.nodes[path]
        return data, SimpleNamespace(version=version)

    def set(self, path, data, version):
        self.before_set()
        if self.nodes[path][1] != version:
            raise BadVersionError
        self.nodes[path] = (data, version + 1)

    def create(self, path, data, makepath):
        if path in self.nodes:
            raise NodeExistsError
        self.nodes[path] = (data, 0)

    def get_children(self, path):
        below = {node[len(path) + 1 :] for node in self.nodes if node.startswith(f"{path}/")}
        if not below:
            raise NoNodeError
        return list(below)

    def contend(self, number, host):
        node = f"{'%032x' % (99 - number)}__lock__{number:010d}"
        path = f"{applications.lock(APPLICATION.name)}/{node}"
        self.nodes[path] = (f"{host} 10.0.0.{number}:9120".encode(), 0)


@dataclass
class Driver:
    """Does what is wanted of its jobs one look later, or never."""

    zookeeper: FakeZooKeeper
    obeys: bool = True
    outcome: str = "running"
    run: int = 1
    done: Wanted = field(default_factory=Wanted)
    state: str = "running"

    def ask(self, address):
        now = wanted.read(self.zookeeper, "flow-direction")
        if self.obeys and now != self.done:
            self.done = now
            self.run += 1
            self.state = self.outcome if now.state == "running" else "stopped"
        seen = {"restarts": self.done.restarts, "resets": self.done.resets}
        row = {"name": "flow-direction", "state": self.state, "since": self.run, "sentence": "why"}
        return [row | seen, {"name": "pass-through", "state": "running", "since": 0}]


@pytest.fixture
def zookeeper():
    zookeeper = FakeZooKeeper()
    zookeeper.contend(2, "spark-3")
    zookeeper.contend(1, "spark-2")
    return zookeeper


@pytest.fixture
def driver(zookeeper):
    return Driver(zookeeper)


@pytest.fixture
def control(zookeeper, driver):
    now = [0.0]
    return Control(
        zookeeper,
        [APPLICATION],
        ask=lambda address: driver.ask(address),
        clock=lambda: now[0],
        sleep=lambda seconds: now.__setitem__(0, now[0] + seconds),
    )


def test_a_job_is_wanted_to_run_unless_somebody_said_otherwise(zookeeper):
    assert wanted.read(zookeeper, "flow-direction") == Wanted("running", 0, 0)


def test_two_operators_at_once_are_both_heard(zookeeper):
    wanted.change(zookeeper, "j", lambda now: now)

    def somebody_else():
        zookeeper.before_set = lambda: None
        wanted.change(zookeeper, "j", lambda now: replace(now, resets=5))

    zookeeper.before_set = somebody_else
    changed = wanted.change(zookeeper, "j", lambda now: replace(now, restarts=1))
    assert changed == wanted.read(zookeeper, "j") == Wanted("running", 1, 5)


def test_the_list_tells_who_drives_who_waits_and_how_the_jobs_are(control):
    (application,) = control.list()
    assert application["driver"] == {"host": "spark-2", "address": "10.0.0.1:9120"}
    assert application["waiting"] == ["spark-3"]
    assert [(job["name"], job["state"], job["wanted"]) for job in application["jobs"]] == [
        ("flow-direction", "running", "running"),
        ("pass-through", "running", "running"),
    ]


def test_without_a_driver_the_list_says_so():
    (application,) = Control(FakeZooKeeper(), [APPLICATION]).list()
    assert application["driver"] is None
    assert {job["state"] for job in application["jobs"]} == {"not driven"}


def test_a_driver_that_does_not_answer_yet_is_starting(zookeeper):
    (application,) = Control(zookeeper, [APPLICATION], ask=lambda address: []).list()
    assert {job["state"] for job in application["jobs"]} == {"starting"}


def test_stop_and_start_wait_for_the_driver(control, zookeeper):
    assert control.stop("flow-direction").startswith("flow-direction is stopped.")
    assert wanted.read(zookeeper, "flow-direction").state == "stopped"
    assert control.start("flow-direction") == "flow-direction is running, on spark-2."


def test_what_runs_already_is_not_waited_for(control, driver):
    driver.obeys = False
    assert control.start("flow-direction") == "flow-direction is running already."


def test_a_restart_is_done_when_another_run_runs(control, zookeeper):
    assert "has been restarted" in control.restart("flow-direction")
    assert wanted.read(zookeeper, "flow-direction") == Wanted("running", 1, 0)


def test_a_restart_of_what_an_operator_stopped_is_refused(control):
    control.stop("flow-direction")
    with pytest.raises(Wrong, match="start it instead"):
        control.restart("flow-direction")


def test_a_reset_says_that_the_checkpoint_is_gone(control, zookeeper):
    assert "discarded its checkpoint" in control.reset("flow-direction")
    assert wanted.read(zookeeper, "flow-direction") == Wanted("running", 0, 1)


@pytest.mark.parametrize("verb", ["restart", "reset"])
def test_what_the_next_driver_would_not_know_of_is_not_asked_for_without_a_driver(verb):
    zookeeper = FakeZooKeeper()
    with pytest.raises(NotDone, match="No driver answers for flow-direction"):
        getattr(Control(zookeeper, [APPLICATION]), verb)("flow-direction")
    assert zookeeper.nodes == {}


def test_a_reset_of_a_stopped_job_does_not_start_it(control, zookeeper):
    control.stop("flow-direction")
    assert "once started" in control.reset("flow-direction")
    assert wanted.read(zookeeper, "flow-direction") == Wanted("stopped", 0, 1)


def test_a_driver_that_does_nothing_is_waited_for_a_minute(control, driver):
    driver.obeys = False
    with pytest.raises(NotDone, match="not stopped after 120 s but running, on spark-2"):
        control.stop("flow-direction")


def test_a_job_that_fails_is_told_with_its_reason(control, driver):
    driver.outcome = "failed"
    with pytest.raises(NotDone, match="flow-direction is failed: why"):
        control.restart("flow-direction")


def test_a_job_that_had_failed_before_may_still_come_to_run(control, driver):
    driver.state = "failed"
    assert "has been restarted" in control.restart("flow-direction")


def test_an_unknown_job_names_those_that_are(control, zookeeper):
    with pytest.raises(Wrong, match=r"'flow'; .*flow-direction, pass-through"):
        control.stop("flow")
    assert not [path for path in zookeeper.nodes if "/jobs/" in path]


def test_applications_are_read_from_the_hosts_configuration(tmp_path):
    (tmp_path / "alarms.yml").write_text(
        "{application: alarms, zookeeper: 'zk:2181', jobs: [{name: emergency-stop}]}"
    )
    assert applications.configured(tmp_path) == [
        Application("alarms", "zk:2181", ("emergency-stop",))
    ]
