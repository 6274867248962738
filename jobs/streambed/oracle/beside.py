"""Topics and checkpoints under a prefix: of a replay that runs beside the stage's own jobs."""

from collections.abc import Iterator, Mapping

from streambed.oracle.objects import Objects
from streambed.oracle.topics import Record, Span, Topics

CHECKPOINTS = "checkpoints/"


class TopicsBeside:
    def __init__(self, topics: Topics, prefix: str) -> None:
        self._topics = topics
        self._prefix = prefix

    def retained(self, topic: str) -> dict[int, Span]:
        return self._topics.retained(self._prefix + topic)

    def read(self, topic: str, spans: Mapping[int, Span]) -> Iterator[Record]:
        for record in self._topics.read(self._prefix + topic, spans):
            yield record._replace(topic=topic)


class ObjectsBeside:
    def __init__(self, objects: Objects, prefix: str) -> None:
        self._objects = objects
        self._prefix = prefix

    def names(self, prefix: str) -> list[str]:
        there = self._there(prefix)
        return [prefix + name.removeprefix(there) for name in self._objects.names(there)]

    def content(self, name: str) -> bytes | None:
        content = self._objects.content(self._there(name))
        # Offsets are those of topics with the prefix.
        return content and content.replace(f'"{self._prefix}input.'.encode(), b'"input.')

    def _there(self, name: str) -> str:
        if not name.startswith(CHECKPOINTS):
            return name
        return f"{CHECKPOINTS}{self._prefix}{name.removeprefix(CHECKPOINTS)}"
