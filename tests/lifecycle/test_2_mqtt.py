"""What the MQTT broker has acknowledged is in Kafka, whatever is killed in between."""

import json
import time
import uuid

import pytest
from processes import acknowledged, simulate, simulator

pytestmark = pytest.mark.usefixtures("quiet")


@pytest.fixture
def subscription(mqtt) -> dict:
    """A connector of a group of its own, so that others who listen do not take its messages."""
    host, _, port = mqtt.rpartition(":")
    return {
        "name": "mqtt",
        "host": host,
        "port": int(port),
        "topics": ["/hfp/v2/journey/#"],
        "group": f"test-{uuid.uuid4().hex[:8]}",
        "session_expiry": 120,
    }


def test_a_simulated_fleet_arrives_in_kafka(mqtt, kafka, ingestion, subscription, tmp_path):
    running = ingestion.start("one", {**subscription, "client_id": f"{subscription['group']}-1"})
    running.wait_for_log("Connected")
    time.sleep(1)
    flags = ("--mqtt", mqtt, "--vehicles", "200", "--seconds", "10", "--speed", "0")
    simulate(*flags, "--garbage", "0.01", "--truth", str(tmp_path / "truth"))
    truth = acknowledged(tmp_path / "truth")
    assert len(truth) > 2000
    found = kafka.wait_for(truth)
    assert truth <= found.keys()
    garbage = json.loads((tmp_path / "truth/summary.json").read_text())["acknowledged_garbage"]
    assert running.metric("dead_lettered_total") == garbage
    assert running.stop() == 0


def test_a_clean_stop_leaves_nothing_acknowledged_behind(
    mqtt, kafka, ingestion, subscription, tmp_path
):
    subscription["client_id"] = f"{subscription['group']}-1"
    running = ingestion.start("one", subscription)
    running.wait_for_log("Connected")
    time.sleep(1)
    # A copy that comes after the stop would meet an empty memory: that is not what this is about.
    flags = ("--vehicles", "1000", "--seconds", "8", "--radio-losses", "0", "--duplicates", "0")
    fleet = simulator("--mqtt", mqtt, *flags, "--truth", str(tmp_path / "truth"))
    time.sleep(4)
    assert running.stop() == 0
    assert "left with the source" not in running.log
    again = ingestion.start("again", subscription)
    assert fleet.wait() == 0
    truth = acknowledged(tmp_path / "truth")
    found = kafka.wait_for(truth)
    assert truth <= found.keys()
    assert set(found.values()) == {1}, "a clean stop repeats nothing"
    assert again.stop() == 0


def test_a_killed_ingestion_loses_nothing(mqtt, kafka, ingestion, subscription, tmp_path):
    """Two share the load, one is killed with messages under way and comes back later."""
    config = [{**subscription, "client_id": f"{subscription['group']}-{n}"} for n in (1, 2)]
    killed, other = (ingestion.start(f"host-{n}", options) for n, options in enumerate(config))
    for running in (killed, other):
        running.wait_for_log("Connected")
    time.sleep(1)
    flags = ("--vehicles", "2000", "--seconds", "15", "--radio-losses", "0")
    fleet = simulator("--mqtt", mqtt, *flags, "--truth", str(tmp_path / "truth"))
    time.sleep(6)
    assert killed.metric("received_total") > 0
    assert other.metric("received_total") > 0
    killed.kill()
    time.sleep(4)
    back = ingestion.start("host-0-again", config[0])
    assert fleet.wait() == 0
    truth = acknowledged(tmp_path / "truth")
    assert len(truth) > 25_000
    found = kafka.wait_for(truth)
    assert truth <= found.keys(), f"{len(truth - found.keys())} of {len(truth)} are missing"
    repeated = sum(count - 1 for count in found.values())
    print(f"{len(truth)} acknowledged, all in Kafka; {repeated} repeated by the kill")
    assert back.stop() == other.stop() == 0


def test_a_host_that_never_returns_is_taken_over(mqtt, kafka, ingestion, subscription, tmp_path):
    """Its share of the load comes through the other, what waited for it included."""
    subscription["takeover_after"] = 2
    config = [{**subscription, "client_id": f"{subscription['group']}-{n}"} for n in (1, 2)]
    killed, other = (ingestion.start(f"host-{n}", options) for n, options in enumerate(config))
    for running in (killed, other):
        running.wait_for_log("Connected")
    time.sleep(1)
    flags = ("--vehicles", "1000", "--seconds", "16", "--radio-losses", "0")
    fleet = simulator("--mqtt", mqtt, *flags, "--truth", str(tmp_path / "truth"))
    time.sleep(4)
    killed.kill()
    other.wait_for_log("Taking over the session of")
    assert fleet.wait() == 0
    truth = acknowledged(tmp_path / "truth")
    found = kafka.wait_for(truth)
    assert truth <= found.keys(), f"{len(truth - found.keys())} of {len(truth)} are missing"

    back = ingestion.start("host-0-again", config[0])
    back.wait_for_log("with a session that it kept")
    other.wait_for_log("Handing back the session of")
    assert back.stop() == other.stop() == 0
