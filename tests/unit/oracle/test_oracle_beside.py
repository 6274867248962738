"""A replay beside the stage's own jobs, judged as if its topics had their usual names."""

from types import SimpleNamespace

from streambed.oracle.beside import TopicsBeside
from streambed.oracle.topics import Record, Span


def test_records_are_told_by_the_usual_name_of_their_topic():
    def read(topic, spans):
        yield Record(topic, 0, 0, b"0012/00001", b"", None, 0)

    beside = TopicsBeside(SimpleNamespace(read=read), "replay.")
    (record,) = beside.read("input.vehicle-position", {0: Span(0, 1)})
    assert record.topic == "input.vehicle-position"
