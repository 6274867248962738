"""What a connector delivers is on disk before it is settled, and replays the same."""

import threading

import pytest
from fakes import FakeConnector
from hfp_examples import RECEIVED_MS, TRAM_TOPIC
from streambed.ingest.connectors.recording import RecordingConnector
from streambed.ingest.messages import RawMessage
from streambed.ingest.recorder import Recorder
from streambed.options import OptionError

MESSAGES = [
    RawMessage(TRAM_TOPIC, payload, RECEIVED_MS) for payload in (b"{}", b"\xff", "ä".encode())
]


def record(directory, *batches, **options) -> FakeConnector:
    connector = FakeConnector(*batches)
    Recorder(to=str(directory), **options).run(connector, threading.Event())
    return connector


def replayed(directory) -> list:
    connector = RecordingConnector(source=str(directory), speed=0)
    connector.open()
    found = []
    while not connector.exhausted:
        if (batch := connector.receive(0.1)) is not None:
            found += batch.messages
    return found


@pytest.mark.parametrize("compression", ["zst", "gz"])
def test_a_recording_replays_the_same_messages(tmp_path, compression):
    connector = record(tmp_path, MESSAGES, MESSAGES, compression=compression)
    assert replayed(tmp_path) == MESSAGES * 2
    assert connector.settled == connector.batches
    assert connector.closed


def test_files_rotate_and_replay_as_one(tmp_path):
    record(tmp_path, *[[raw] for raw in MESSAGES], rotate_bytes=1)
    assert len(list(tmp_path.iterdir())) == 3
    assert replayed(tmp_path) == MESSAGES


def test_no_messages_make_no_file(tmp_path):
    record(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_parts_that_a_killed_recorder_left_are_taken_up(tmp_path):
    record(tmp_path, MESSAGES)
    (file,) = tmp_path.iterdir()
    file.rename(file.with_name(f"{file.name}.part"))
    record(tmp_path)
    assert replayed(tmp_path) == MESSAGES


def test_an_unknown_compression_is_refused(tmp_path):
    with pytest.raises(OptionError, match="must be 'zst' or 'gz'"):
        Recorder(to=str(tmp_path), compression="rar")
