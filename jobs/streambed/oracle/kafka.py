"""Topics of a running Kafka, read by offsets: no group is joined, no offset committed."""

import time
from collections.abc import Iterator, Mapping

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from streambed.oracle.errors import Failed
from streambed.oracle.topics import Record, Span

PATIENCE_SECONDS = 30
# Kafka is waited for so long for so many records at once; fewer come when there are no more.
AT_ONCE, WAIT_SECONDS = 10_000, 0.1


class KafkaTopics:
    def __init__(self, bootstrap: str) -> None:
        self._consumer = Consumer(
            {
                "bootstrap.servers": bootstrap,
                "group.id": "streambed-oracle",  # must be there, and stays unused
                "enable.auto.commit": False,
                # Of a transaction that was given up nobody may see anything.
                "isolation.level": "read_committed",
                # The end may be a transaction's marker, which is never delivered.
                "enable.partition.eof": True,
                "auto.offset.reset": "earliest",
                "queued.max.messages.kbytes": 16_384,
                "log.connection.close": False,
            }
        )

    def retained(self, topic: str) -> dict[int, Span]:
        # Asked for by name, a topic that does not exist might be made.
        try:
            known = self._consumer.list_topics(timeout=PATIENCE_SECONDS).topics
            if topic not in known:
                return {}
            return {
                partition: Span(
                    *self._consumer.get_watermark_offsets(
                        TopicPartition(topic, partition), timeout=PATIENCE_SECONDS
                    )
                )
                for partition in known[topic].partitions
            }
        except KafkaException as error:
            raise Failed(f"Kafka does not tell of {topic}: {error.args[0].str()}.") from error

    def read(self, topic: str, spans: Mapping[int, Span]) -> Iterator[Record]:
        ends = {number: span.end for number, span in spans.items() if span.end > span.earliest}
        if not ends:
            return
        assigned = [TopicPartition(topic, number, spans[number].earliest) for number in ends]
        self._consumer.assign(assigned)
        try:
            heard = time.monotonic()
            while ends:
                if messages := self._consumer.consume(AT_ONCE, timeout=WAIT_SECONDS):
                    heard = time.monotonic()
                elif time.monotonic() > heard + PATIENCE_SECONDS:
                    raise Failed(f"{topic}: Kafka sent nothing for {PATIENCE_SECONDS} s.")
                yield from self._records(topic, messages, ends)
        finally:
            self._consumer.resume(assigned)
            self._consumer.unassign()

    def close(self) -> None:
        self._consumer.close()

    def _records(
        self, topic: str, messages: list[Message], ends: dict[int, int]
    ) -> Iterator[Record]:
        """Those before the ends; a partition that has reached its own is left out of `ends`."""
        for message in messages:
            partition = message.partition()
            end = ends.get(partition)
            error = message.error()
            if error and error.code() != KafkaError._PARTITION_EOF:
                raise Failed(f"{topic}: {error.str()}.")
            if end is None:
                continue
            offset = end if error else message.offset()
            if offset < end:
                yield Record(
                    topic,
                    partition,
                    offset,
                    message.key(),
                    message.value(),
                    message.headers(),
                    message.timestamp()[1],
                )
            if offset >= end - 1:
                del ends[partition]
                self._consumer.pause([TopicPartition(topic, partition)])
