"""A checkpoint has one writer, fits one set of settings, and can be begun anew."""

import json

import pytest
from streambed.analytics.bucket import Changed
from streambed.analytics.checkpoint import Checkpoint, Fenced, Incompatible

CONTRACT = {"kind": "WindowJob", "resolution": 9}


class FakeBucket:
    """Objects with a tag that changes with every write."""

    name = "streambed"

    def __init__(self) -> None:
        self.objects: dict[str, tuple[bytes, str]] = {}

    def read_tagged(self, key):
        return self.objects.get(key)

    def tag(self, key):
        return self.objects[key][1] if key in self.objects else None

    def put_if(self, key, content, tag):
        if self.tag(key) != tag:
            raise Changed(key)
        self.objects[key] = (content, f"{len(content)} {hash(content)}")
        return self.objects[key][1]

    def remove_all(self, prefix):
        for key in [key for key in self.objects if key.startswith(prefix)]:
            del self.objects[key]


@pytest.fixture
def bucket():
    return FakeBucket()


def taken(bucket) -> Checkpoint:
    checkpoint = Checkpoint(bucket, "flow-direction")
    checkpoint.take(CONTRACT, {"size": 300_000})
    return checkpoint


def test_whoever_takes_it_writes_it(bucket):
    checkpoint = taken(bucket)
    checkpoint.hold()
    assert checkpoint.location == "s3a://streambed/checkpoints/flow-direction/0"


def test_a_driver_that_was_believed_dead_finds_itself_fenced(bucket):
    old = taken(bucket)
    new = taken(bucket)
    with pytest.raises(Fenced, match="another driver"):
        old.hold()
    new.hold()


def test_other_settings_are_refused_with_what_differs_and_what_to_do(bucket):
    taken(bucket)
    other = Checkpoint(bucket, "flow-direction")
    with pytest.raises(Incompatible) as refused:
        other.check({**CONTRACT, "resolution": 8})
    assert "resolution from 9 to 8" in str(refused.value)
    assert "make job-reset JOB=flow-direction" in str(refused.value)


def test_refusing_leaves_the_running_driver_in_charge(bucket):
    running = taken(bucket)
    with pytest.raises(Incompatible):
        Checkpoint(bucket, "flow-direction").take({"resolution": 8}, {})
    running.hold()


def test_beginning_anew_is_the_next_generation_and_takes_any_settings(bucket):
    checkpoint = taken(bucket)
    bucket.objects["checkpoints/flow-direction/0/offsets/5"] = (b"", "")
    checkpoint.begin_anew()
    assert checkpoint.location.endswith("/1")
    assert list(bucket.objects) == ["checkpoints/flow-direction/head.json"]
    checkpoint.take({"resolution": 8}, {})
    head = json.loads(bucket.objects["checkpoints/flow-direction/head.json"][0])
    assert (head["generation"], head["contract"]) == (1, {"resolution": 8})
