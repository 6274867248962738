"""The deployed ingestion loses nothing that the MQTT broker has acknowledged, whatever is killed.

A second fleet publishes beside the stage's own; its ground truth is what Kafka must hold.
"""

import random
import threading
import time

import pytest
from platform_under_test import LOCAL
from processes import acknowledged, simulator
from waiting import wait_until

RATE = 2000  # messages a second
BOUND_MIB = 200  # of an ingest process, whatever waits behind it


class Memory:
    """Watches how large the ingest processes get."""

    def __init__(self, platform):
        self.most_mib = 0
        self._platform = platform
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    def _watch(self):
        ask = "ps --no-headers -o rss -p $(systemctl show -P MainPID ingest-hfp)"
        while not self._stop.wait(1):
            sizes = [int(self._platform.on(edge, ask)) for edge in self._platform.hosts("edge")]
            self.most_mib = max(self.most_mib, *(size // 1024 for size in sizes))


@pytest.fixture
def fleet(mqtt, tmp_path):
    """Starts a fleet of its own, of vehicles that nobody else has, and tells its truth."""
    truth = tmp_path / "truth"
    started = []

    def start(seconds: int):
        numbers = ("--vehicles", str(RATE), "--first", "20001")
        chance = ("--seed", str(random.randrange(1 << 30)), "--radio-losses", "0")
        flags = (*numbers, *chance, "--seconds", str(seconds), "--truth", str(truth))
        started.append(simulator("--mqtt", mqtt, "--client-id", "second-fleet", *flags))
        return started[-1], lambda: acknowledged(truth)

    yield start
    for process in started:
        process.kill()
        process.wait()


def compare(truth: set[str], kafka) -> int:
    """Everything acknowledged is there; how often something is there again."""
    assert len(truth) > 10 * RATE
    found = kafka.wait_for(truth, seconds=120)
    missing = truth - found.keys()
    assert not missing, f"{len(missing)} of {len(truth)} are missing: {sorted(missing)[:5]}"
    # What counts as the same is the key with the event and its time: see Row.identity.
    return sum(found[identity] - 1 for identity in truth)


def test_an_ingest_host_that_loses_power_costs_nothing(local, kafka, fleet):
    process, truth = fleet(seconds=30)
    time.sleep(10)
    local.cut_power("edge-2")
    assert process.wait(timeout=120) == 0
    repeated = compare(truth(), kafka)
    print(f"{len(truth())} acknowledged, 0 missing; {repeated} repeated, each the same event")
    said = local.make("deploy").text
    assert "passed" in said, "the host is made anew"


def test_three_brokers_that_are_away_for_twenty_seconds_cost_nothing(local, kafka, fleet):
    with Memory(local) as memory:
        process, truth = fleet(seconds=45)
        time.sleep(8)
        for host in local.hosts("kafka"):
            local.on(host, "systemctl mask --runtime --quiet kafka; systemctl kill -s KILL kafka")
        time.sleep(20)
        for host in local.hosts("kafka"):
            local.on(host, "systemctl unmask --runtime --quiet kafka; systemctl start kafka")
        assert process.wait(timeout=180) == 0
        repeated = compare(truth(), kafka)
    print(f"{len(truth())} acknowledged, 0 missing; {repeated} repeated; {memory.most_mib} MiB")
    assert 0 < memory.most_mib < BOUND_MIB
    wait_until(
        lambda: "acknowledged" in local.on("edge-1", "streambed-health ingest-hfp"),
        seconds=30,
        what="ingestion is well again",
    )


def test_an_ingestion_that_the_stage_no_longer_names_is_ended(local, changed):
    entry = {"name": "idle", "connector": {"name": "mqtt", "topics": ["/none/#"]}}
    entry |= {"processor": {"name": "hfp"}, "metrics_port": 9111}
    changed(ingest=[*LOCAL["ingest"], entry]).make("deploy")
    units = "systemctl list-units --plain --no-legend 'ingest-*'"
    assert "ingest-idle" in local.on("edge-1", units)
    before = local.main_process("edge-1", "ingest-hfp")
    local.make("deploy")
    assert "ingest-idle" not in local.on("edge-1", units)
    assert local.main_process("edge-1", "ingest-hfp") == before
