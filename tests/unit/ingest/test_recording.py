"""A recording replays as it was, or as it was asked for."""

import gzip
import json
import time

import pytest
import zstandard
from hfp_examples import RECEIVED_MS, TRAM_TOPIC, message
from streambed.ingest.connectors.recording import RecordingConnector
from streambed.ingest.messages import RawMessage
from streambed.ingest.recordings import format_line, parse_line
from streambed.ingest.times import now_ms
from streambed.options import OptionError

# Three messages, the second 40 ms after the first, the third 10 ms later.
MESSAGES = [
    RawMessage(TRAM_TOPIC, f"{number}".encode(), RECEIVED_MS + later_ms)
    for number, later_ms in enumerate((0, 40, 50))
]
LENGTH_MS = 50 + 1000


@pytest.fixture
def recording(tmp_path):
    file = tmp_path / "recording.jsonl"
    file.write_bytes(b"".join(map(format_line, MESSAGES)))
    return file


def replay(source, settle=True, limit=None, **options) -> list:
    """All batches, each settled at once."""
    connector = RecordingConnector(source=str(source), **{"speed": 0, **options})
    connector.open()
    batches = []
    while not connector.exhausted and len(batches) != limit:
        if (batch := connector.receive(0.1)) is not None:
            batches.append(batch)
            if settle:
                connector.settle(batch)
    connector.close()
    return batches


def messages(batches) -> list:
    return [message for batch in batches for message in batch.messages]


@pytest.mark.parametrize("raw", [message(), RawMessage("/a/ä", b"\xff\x00", RECEIVED_MS)])
def test_a_line_holds_a_message_exactly(raw):
    assert parse_line(format_line(raw)) == raw


@pytest.mark.parametrize("line", [b"", b"{", b"[]", b"{}", b'{"topic": 1, "payload": "x"}'])
def test_a_line_that_is_no_message_is_kept_without_a_topic(line):
    assert parse_line(line) == RawMessage("", line, 0)


def test_a_recording_is_delivered_in_order(recording):
    assert messages(replay(recording)) == MESSAGES


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".zst", zstandard.ZstdCompressor().compress)]
)
def test_a_recording_may_be_compressed(recording, suffix, compress):
    file = recording.with_name(recording.name + suffix)
    file.write_bytes(compress(recording.read_bytes()))
    assert messages(replay(file)) == MESSAGES


def test_a_recording_that_was_cut_off_is_read_as_far_as_it_goes(recording):
    file = recording.with_name("cut.jsonl.gz")
    file.write_bytes(gzip.compress(recording.read_bytes() * 5000)[:-2000])
    assert len(messages(replay(file))) > 1000


def test_a_directory_is_read_in_the_order_of_names(tmp_path):
    for number, raw in reversed(list(enumerate(MESSAGES))):
        (tmp_path / f"{number}.jsonl").write_bytes(format_line(raw))
    (tmp_path / "3.jsonl.zst.part").write_bytes(b"still growing")
    assert messages(replay(tmp_path)) == MESSAGES


def test_original_timing_is_kept(recording):
    began = time.monotonic()
    batches = replay(recording, speed=1)
    assert 0.04 <= time.monotonic() - began < 1
    assert [len(batch.messages) for batch in batches] == [1, 1, 1]


def test_a_speed_factor_hurries(recording):
    slow, fast = [], []
    for times, speed in ((slow, 0.2), (fast, 4.0)):
        began = time.monotonic()
        replay(recording, speed=speed)
        times.append(time.monotonic() - began)
    assert fast[0] < 0.2 <= slow[0]


def test_loops_go_on_in_time(recording):
    batches = replay(recording, loops=3)
    assert [batch.shift_ms for batch in batches] == [0, LENGTH_MS, 2 * LENGTH_MS]
    assert messages(batches) == MESSAGES * 3


def test_copies_are_told_apart(recording):
    batches = replay(recording, copies=3)
    assert [batch.copy for batch in batches] == [0, 1, 2]
    assert messages(batches) == MESSAGES * 3


def test_times_can_be_moved_to_now(recording):
    (batch,) = replay(recording, times="now")
    assert abs(RECEIVED_MS + batch.shift_ms - now_ms()) < 5000


def test_a_replay_goes_on_where_everything_was_safe(recording, tmp_path):
    position = str(tmp_path / "position")
    first = replay(recording, speed=1000, position=position, limit=1)
    rest = replay(recording, speed=1000, position=position)
    assert messages(first) + messages(rest) == MESSAGES
    assert replay(recording, position=position) == []


def test_what_was_not_safe_is_delivered_again(recording, tmp_path):
    position = str(tmp_path / "position")
    replay(recording, position=position, settle=False)
    assert messages(replay(recording, position=position)) == MESSAGES


def test_a_replay_that_goes_on_keeps_its_times(recording, tmp_path):
    position = str(tmp_path / "position")
    options = {"speed": 1000, "times": "now", "loops": 2, "position": position}
    (first,) = replay(recording, limit=1, **options)
    time.sleep(0.05)
    rest = replay(recording, **options)
    assert {batch.shift_ms for batch in rest} <= {first.shift_ms, first.shift_ms + LENGTH_MS}
    assert len(messages(rest)) == 6 - len(first.messages)


def test_a_batch_is_safe_only_with_its_last_copy(recording, tmp_path):
    position = tmp_path / "position"
    replay(recording, copies=2, position=str(position), limit=1)
    assert json.loads(position.read_text())["line"] == 0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"speed": -1}, "speed: must be 0"),
        ({"loops": -1}, "loops: must be 0"),
        ({"copies": 0}, "copies: must be at least 1"),
        ({"times": "later"}, "times: must be 'kept' or 'now'"),
        ({"source": "/nowhere.jsonl"}, "there is no recording at /nowhere"),
    ],
)
def test_options_that_cannot_work_are_refused(recording, options, sentence):
    with pytest.raises(OptionError, match=sentence):
        RecordingConnector(**{"source": str(recording), **options}).open()


def test_the_position_of_another_recording_is_refused(recording, tmp_path):
    position = str(tmp_path / "position")
    replay(recording, position=position)
    other = recording.rename(tmp_path / "other.jsonl")
    with pytest.raises(OptionError, match="remove it to start from the beginning"):
        RecordingConnector(source=str(other), position=position)
