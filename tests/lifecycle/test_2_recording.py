"""A recording replays into exactly the events that it holds, also when it is interrupted."""

import gzip
import json
import os
import time
from datetime import datetime
from pathlib import Path

import pytest
import zstandard
from processes import acknowledged, simulate

START = "2026-05-04T06:00:00Z"


@pytest.fixture
def recording(tmp_path):
    """Two minutes of a fleet with all its imperfections, from a seed nobody else uses."""
    flags = ("--vehicles", "500", "--seconds", "120", "--seed", str(time.time_ns()))
    file = tmp_path / "fleet.jsonl.zst"
    truth = tmp_path / "truth"
    start = f"20{time.time_ns() % 30 + 30}-05-04T06:00:00Z"
    simulate("--file", str(file), *flags, "--truth", str(truth), "--start", start)
    return file, acknowledged(truth), truth


@pytest.mark.parametrize("wire", ["binary", "json"])
def test_every_event_is_in_kafka_once(kafka, ingestion, recording, wire):
    file, truth, directory = recording
    connector = {"name": "recording", "source": str(file), "speed": 0}
    running = ingestion.start("replay", connector, wire=wire)
    assert running.process.wait(timeout=120) == 0, running.log
    rows = [row for row in kafka.rows() if row.topic != "input.dead-letter"]
    rows = [row for row in rows if row.headers["wire"] == wire.encode()]
    found = [row.identity for row in rows if row.identity in truth]
    assert truth == set(found)
    assert len(found) == len(set(found))
    garbage = json.loads((directory / "summary.json").read_text()).get("garbage", 0)
    assert f"dead-lettered {garbage};" in running.log


def test_a_killed_replay_goes_on_where_kafka_had_everything(kafka, ingestion, recording, tmp_path):
    file, truth, _ = recording
    connector = {
        "name": "recording",
        "source": str(file),
        "speed": 20,
        "position": str(tmp_path / "position.json"),
    }
    running = ingestion.start("replay", connector)
    time.sleep(4)
    running.kill()
    assert json.loads((tmp_path / "position.json").read_text())["line"] > 0
    assert ingestion.start("again", connector).process.wait(timeout=120) == 0
    found = kafka.wait_for(truth)
    assert truth <= found.keys()
    repeated = sum(count - 1 for identity, count in found.items() if identity in truth)
    assert repeated < len(truth) / 2, "it went on, and did not start over"


def test_dead_letters_keep_the_original_bytes_and_the_reason(kafka, ingestion, tmp_path):
    file = tmp_path / "garbage.jsonl"
    topic = "/hfp/v2/journey/ongoing/vp/tram/0040/00456/1006/1/Arabia/05:47/1111428/0////"
    row = {"received_at": START, "topic": topic, "payload_base64": "/wD/"}
    file.write_text(json.dumps(row) + "\n")
    connector = {"name": "recording", "source": str(file), "speed": 0}
    assert ingestion.start("garbage", connector).process.wait(timeout=60) == 0
    letters = [row for row in kafka.rows() if row.topic == "input.dead-letter"]
    assert [letter.value for letter in letters if letter.value == b"\xff\x00\xff"]
    letter = next(letter for letter in letters if letter.value == b"\xff\x00\xff")
    assert letter.headers["reason"] == b"not json"
    assert letter.headers["source-topic"].decode() == topic


def counted(file: Path) -> tuple[set[tuple], int]:
    """Events of a recording and those without a speed, counted without any of Streambed's code."""
    open_it = {".gz": gzip.open, ".zst": zstandard.open}.get(file.suffix, open)
    events, without_speed = set(), 0
    with open_it(file, "rt") as lines:
        for line in lines:
            row = json.loads(line)
            try:
                ((name, payload),) = json.loads(row["payload"]).items()
                elements = row["topic"].split("/")
                assert elements[2:4] == ["v2", "journey"]
                moment = datetime.fromisoformat(payload["tst"])
                assert isinstance(payload.get("oday"), str | None)
            except (ValueError, KeyError, AssertionError, AttributeError):
                continue  # garbage
            event = (*elements[7:9], name.lower(), round(moment.timestamp() * 1000))
            without_speed += event not in events and payload["spd"] is None
            events.add(event)
    return events, without_speed


def test_a_replay_gives_as_many_events_as_an_independent_count(kafka, ingestion, recording):
    """Of the recording that RECORDING names, or of a simulated one."""
    file = Path(os.environ.get("RECORDING") or recording[0]).resolve()
    connector = {"name": "recording", "source": str(file), "speed": 0}
    assert ingestion.start("count", connector).process.wait(timeout=300) == 0
    events, without_speed = counted(file)
    wanted = {f"{oper}/{veh} {name} {ms}" for oper, veh, name, ms in events}
    rows = [row for row in kafka.rows() if row.topic != "input.dead-letter"]
    found = [row for row in rows if row.identity in wanted]
    assert {row.identity for row in found} == wanted
    assert len(found) == len(wanted)
    speeds = [getattr(row.decoded.details, "position", row.decoded.details) for row in found]
    assert sum(not position.HasField("speed") for position in speeds) == without_speed
    print(f"{file.name}: {len(found)} distinct events, {without_speed} of them without a speed")
