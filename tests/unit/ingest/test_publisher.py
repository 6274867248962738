"""The simulator's publisher counts what a broker acknowledges, and repeats what it did not."""

import socket
import threading

import pytest
from streambed.ingest.simulator.fleet import Arrival
from streambed.ingest.simulator.publisher import Publisher
from streambed.ingest.simulator.truth import Truth

CONNACK = bytes([0x20, 6, 0, 0, 3, 0x21, 0, 20])  # at most 20 unacknowledged messages
MESSAGES = [Arrival(0, n, "/topic", b"payload" * 30, f"0040/00001 vp {n}") for n in range(50)]


class Broker(threading.Thread):
    """Reads packets and acknowledges publications, as the test wants it."""

    def __init__(self, acknowledge):
        super().__init__(daemon=True)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = self._listener.getsockname()
        self._acknowledge = acknowledge
        self.published: list[bytes] = []
        self.repeated = 0
        self.start()

    def run(self):
        while True:
            connection, _ = self._listener.accept()
            stream = connection.makefile("rb")
            while head := stream.read(1):
                body = stream.read(self._length(stream))
                if head[0] == 0x10:
                    connection.sendall(CONNACK)
                    continue
                self.repeated += bool(head[0] & 0x08)
                topic_length = int.from_bytes(body[:2], "big")
                packet_id = body[2 + topic_length : 4 + topic_length]
                self.published.append(body[5 + topic_length :])
                answer = self._acknowledge(len(self.published), packet_id)
                if answer is None:
                    connection.close()
                    stream.close()
                    break
                connection.sendall(answer)

    @staticmethod
    def _length(stream) -> int:
        length = shift = 0
        while True:
            digit = stream.read(1)[0]
            length |= (digit & 0x7F) << shift
            shift += 7
            if digit < 0x80:
                return length


def publish(broker) -> Truth:
    truth, stop = Truth(None), threading.Event()
    publisher = Publisher(broker.address, truth)
    publisher.publish(MESSAGES, stop)
    publisher.finish(stop, seconds=10)
    return truth


def puback(packet_id: bytes, reason: int = 0) -> bytes:
    return bytes([0x40, 3]) + packet_id + bytes([reason])


def test_every_acknowledgement_is_counted():
    broker = Broker(lambda _, packet_id: bytes([0x40, 2]) + packet_id)
    truth = publish(broker)
    assert truth.counts == {"published": 50, "acknowledged": 50}
    assert broker.published == [message.payload for message in MESSAGES]


@pytest.mark.parametrize(("reason", "name"), [(0x10, "without_subscriber"), (0x97, None)])
def test_what_nobody_hears_is_not_acknowledged(reason, name):
    truth = publish(Broker(lambda _, packet_id: puback(packet_id, reason)))
    assert truth.counts["acknowledged"] == 0
    assert truth.counts[name] == (50 if name else 0)


def test_a_broken_connection_repeats_what_was_not_acknowledged():
    broker = Broker(lambda count, packet_id: None if count == 5 else puback(packet_id))
    truth = publish(broker)
    assert truth.counts["acknowledged"] == 50
    assert broker.repeated > 0
