"""Joins a connector, a processor and a producer, so that nothing is lost between them.

A batch is settled with its connector when Kafka has acknowledged every record of it, and batches
are settled in the order in which they came. So a duplicate that is dropped is never acknowledged
before the message that it duplicates, and a source that wants acknowledgements in order gets them.

Producing waits when the producer's buffers are full: the source is read no faster than Kafka takes.
"""

import logging
import threading
import time
from bisect import bisect_left
from collections import deque
from typing import Any

from streambed.events.codec import WireMode, encoder, headers
from streambed.ingest.interfaces import Connector, Processor
from streambed.ingest.messages import DEAD_LETTER_TOPIC, Batch, DeadLetter, RawMessage, Record
from streambed.ingest.metrics import LAG_BOUNDS_MS, Metrics
from streambed.ingest.times import format_ms, now_ms

log = logging.getLogger(__name__)

# Kafka's brokers take records up to 1 MiB; a longer dead letter is cut, and says so.
LONGEST_DEAD_LETTER = 900_000
WAIT = 0.1
# Delivery reports are served between messages, too, or buffers would stay full for a whole batch.
POLL_EVERY = 500


class DeliveryFailed(Exception):
    """Kafka refuses a record for good. Nothing after it is settled; the sentence says why."""


class _Pending:
    """A batch on its way."""

    __slots__ = ("batch", "complete", "error", "open", "records")

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.open = 0
        self.records = 0
        self.complete = False
        self.error: Any = None

    def delivered(self, error: Any, _: Any) -> None:
        self.open -= 1
        if error is not None:
            self.error = error


class Pipeline:
    def __init__(
        self,
        connector: Connector,
        processor: Processor,
        producer: Any,
        *,
        wire: WireMode = "binary",
        dead_letter_topic: str = DEAD_LETTER_TOPIC,
        metrics: Metrics | None = None,
        drain_seconds: float = 20.0,
    ) -> None:
        self._connector = connector
        self._processor = processor
        self._producer = producer
        self._encode = encoder(wire)
        self._headers = headers(wire)
        self._dead_letter_topic = dead_letter_topic
        self._drain_seconds = drain_seconds
        self._pending: deque[_Pending] = deque()
        self.metrics = metrics or Metrics()
        self.metrics.in_flight = producer.__len__

    def run(self, stop: threading.Event) -> None:
        """Until the source ends or `stop` is set; then wait for what is on its way."""
        self._connector.open()
        try:
            while not stop.is_set() and not self._connector.exhausted:
                # With records on their way come back soon, to learn of their arrival.
                batch = self._connector.receive(0.005 if self._pending else WAIT)
                if batch is not None:
                    self._take(batch, stop)
                self._settle()
            self._drain()
        finally:
            self._connector.close()
        if self._pending:
            log.warning(
                "Stopped with %d messages that Kafka has not acknowledged; they are left with the"
                " source.",
                sum(len(pending.batch.messages) for pending in self._pending),
            )

    def _take(self, batch: Batch, stop: threading.Event) -> None:
        pending = _Pending(batch)
        self._pending.append(pending)
        metrics, producer = self.metrics, self._producer
        process, encode, produce = self._processor.process, self._encode, producer.produce
        on_delivery, record_headers = pending.delivered, self._headers
        shift_ms, copy = batch.shift_ms, batch.copy
        counts, bounds, sum_ms = metrics.lag.counts, LAG_BOUNDS_MS, 0
        sent: dict[str, int] = {}
        metrics.received += len(batch.messages)

        for number, message in enumerate(batch.messages, 1):
            outcome = process(message, shift_ms, copy)
            if type(outcome) is Record:
                topic, key, event_ms, details = outcome
                received_ms = message.received_ms + shift_ms
                value = encode(event_ms, received_ms, details)
                try:
                    produce(topic, value, key, headers=record_headers, on_delivery=on_delivery)
                except BufferError:
                    if not self._produce_when_there_is_room(
                        stop, topic, value, key, record_headers, on_delivery
                    ):
                        return  # the batch stays incomplete, and so is never settled
                sent[topic] = sent.get(topic, 0) + 1
                lag_ms = received_ms - event_ms
                counts[bisect_left(bounds, lag_ms)] += 1
                sum_ms += lag_ms
            elif type(outcome) is DeadLetter:
                if not self._bury(message, outcome, pending, stop):
                    return
            else:
                metrics.dropped[outcome.reason] += 1
            if number % POLL_EVERY == 0:
                producer.poll(0)
        metrics.produced.update(sent)
        metrics.lag.sum_ms += sum_ms
        pending.records += sum(sent.values())
        pending.open += sum(sent.values())  # below zero until now, if Kafka was fast
        pending.complete = True

    def _bury(
        self, message: RawMessage, letter: DeadLetter, pending: _Pending, stop: threading.Event
    ) -> bool:
        """Keep what was not understood, as it was."""
        found = [
            ("reason", letter.reason.encode()),
            ("sentence", letter.sentence.encode(errors="replace")[:1000]),
            ("source-topic", message.topic.encode(errors="replace")[:1000]),
            ("received-at", format_ms(message.received_ms).encode()),
        ]
        payload = message.payload
        if len(payload) > LONGEST_DEAD_LETTER:
            found.append(("cut-from-bytes", str(len(payload)).encode()))
            payload = payload[:LONGEST_DEAD_LETTER]
        if not self._produce_when_there_is_room(
            stop, self._dead_letter_topic, payload, None, found, pending.delivered
        ):
            return False
        pending.records += 1
        pending.open += 1
        self.metrics.dead_lettered[letter.reason] += 1
        return True

    def _produce_when_there_is_room(
        self,
        stop: threading.Event,
        topic: str,
        value: bytes,
        key: bytes | None,
        record_headers: list[tuple[str, bytes]],
        on_delivery: Any,
    ) -> bool:
        while True:
            try:
                self._producer.produce(
                    topic, value, key, headers=record_headers, on_delivery=on_delivery
                )
                return True
            except BufferError:
                if stop.is_set():
                    return False
                self._producer.poll(WAIT)
                self._settle()

    def _settle(self) -> None:
        """Tell the connector of batches that are safe, oldest first."""
        self._producer.poll(0)
        while self._pending:
            oldest = self._pending[0]
            if oldest.error is not None:
                raise DeliveryFailed(f"Kafka refuses a record: {oldest.error.str()}.")
            if oldest.open or not oldest.complete:
                return
            self._pending.popleft()
            self._connector.settle(oldest.batch)
            self.metrics.acknowledged += oldest.records
            self.metrics.settled += len(oldest.batch.messages)
            self.metrics.last_settled_ms = now_ms()

    def _drain(self) -> None:
        deadline = time.monotonic() + self._drain_seconds
        while self._pending and time.monotonic() < deadline:
            if all(not pending.complete for pending in self._pending):
                return  # only a batch that was given up is left
            self._producer.flush(WAIT)
            self._settle()
