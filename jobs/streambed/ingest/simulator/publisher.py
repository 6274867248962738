"""Publishes to an MQTT 5 broker at QoS 1, and knows what the broker has acknowledged.

Written on a plain socket, because a general client manages a few thousand messages a second in
Python and a load generator has to manage more than what it loads. It does one thing: connect,
publish, count acknowledgements; when the connection breaks it connects again and repeats what was
not acknowledged.
"""

import logging
import select
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Sequence

from streambed.ingest.simulator.fleet import Arrival
from streambed.ingest.simulator.truth import Truth

log = logging.getLogger(__name__)

CONNECT, CONNACK, PUBLISH_QOS1, PUBACK, DISCONNECT = 0x10, 0x20, 0x32, 0x40, 0xE0
DUP = 0x08
NO_SUBSCRIBERS = 0x10
FAILED = 0x80
RECEIVE_MAXIMUM = 0x21
# Sizes of a CONNACK's properties, as far as they are not text.
PROPERTY_SIZES = {0x11: 4, 0x13: 2, 0x21: 2, 0x22: 2, 0x24: 1, 0x25: 1, 0x27: 4}
PROPERTY_SIZES |= {0x28: 1, 0x29: 1, 0x2A: 1}
LARGEST_WINDOW = 10_000
KEEPALIVE = 60
CHUNK = 1 << 18


class Refused(Exception):
    """The broker does not let this client in."""


class Publisher:
    def __init__(
        self,
        address: tuple[str, int],
        truth: Truth,
        *,
        client_id: str = "streambed-simulator",
        username: str | None = None,
        password: str | None = None,
    ) -> None:
        self._address = address
        self._truth = truth
        self._hello = _connect_packet(client_id, username, password)
        self._socket: socket.socket | None = None
        self._received = b""
        self._to_send = bytearray()
        self._window = LARGEST_WINDOW
        self._next_id = 1
        # By packet number, in the order of sending.
        self._unacknowledged: dict[int, Arrival] = {}

    def publish(self, messages: Sequence[Arrival], stop: threading.Event) -> None:
        """Send messages as fast as the broker takes them."""
        waiting = deque(messages)
        while (waiting or self._to_send) and not stop.is_set():
            try:
                if self._socket is None:
                    self._connect()
                while waiting and len(self._unacknowledged) < self._window:
                    if len(self._to_send) > CHUNK:
                        break
                    self._queue(waiting.popleft())
                self._exchange(0.1)
            except OSError as error:
                self._lose(error, stop)

    def finish(self, stop: threading.Event, seconds: float = 30.0) -> None:
        """Wait for the acknowledgements that are outstanding, and say goodbye."""
        deadline = time.monotonic() + seconds
        while self._unacknowledged and time.monotonic() < deadline:
            try:
                if self._socket is None:
                    self._connect()
                self._exchange(0.1)
            except OSError as error:
                self._lose(error, stop)
                if stop.is_set():
                    break
        if self._socket is not None:
            self._socket.close()

    def _connect(self) -> None:
        self._socket = socket.create_connection(self._address, timeout=10)
        self._socket.sendall(self._hello)
        self._received = b""
        while (packet := self._next_packet()) is None:
            self._read()
        kind, body = packet
        if kind != CONNACK or body[1] >= FAILED:
            raise Refused(f"The MQTT broker refuses the simulator (reason {body[1]:#x}).")
        self._window = min(LARGEST_WINDOW, _receive_maximum(body))
        self._socket.setblocking(False)
        self._to_send.clear()
        for packet_id, message in self._unacknowledged.items():
            self._to_send += _publish_packet(message, packet_id, DUP)

    def _lose(self, error: OSError, stop: threading.Event) -> None:
        log.info("The connection to %s:%s is lost (%s); trying again.", *self._address, error)
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        stop.wait(1.0)

    def _queue(self, message: Arrival) -> None:
        packet_id = self._next_id
        while packet_id in self._unacknowledged:
            packet_id = packet_id % 65535 + 1
        self._next_id = packet_id % 65535 + 1
        self._unacknowledged[packet_id] = message
        self._to_send += _publish_packet(message, packet_id)
        self._truth.published(1)

    def _exchange(self, timeout: float) -> None:
        """Send what the socket takes and read what it has, so that neither side waits for ever."""
        writing = [self._socket] if self._to_send else []
        readable, writable, _ = select.select([self._socket], writing, [], timeout)
        if readable:
            self._read()
            while (packet := self._next_packet()) is not None:
                self._handle(*packet)
        if writable:
            sent = self._socket.send(memoryview(self._to_send)[:CHUNK])
            del self._to_send[:sent]

    def _read(self) -> None:
        chunk = self._socket.recv(CHUNK)
        if not chunk:
            raise ConnectionResetError("the broker has closed it")
        self._received += chunk

    def _handle(self, kind: int, body: bytes) -> None:
        if kind == DISCONNECT:
            raise ConnectionResetError("the broker has said goodbye")
        if kind != PUBACK:
            return
        message = self._unacknowledged.pop(body[0] << 8 | body[1], None)
        reason = body[2] if len(body) > 2 else 0
        if message is None or reason >= FAILED:
            return
        if reason == NO_SUBSCRIBERS:
            self._truth.unheard(message)
        else:
            self._truth.acknowledged(message)

    def _next_packet(self) -> tuple[int, bytes] | None:
        received = self._received
        length, shift = 0, 0
        for place in range(1, 5):
            if place >= len(received):
                return None
            length |= (received[place] & 0x7F) << shift
            shift += 7
            if received[place] < 0x80:
                break
        end = place + 1 + length
        if len(received) < end:
            return None
        self._received = received[end:]
        return received[0] & 0xF0, received[place + 1 : end]


def _connect_packet(client_id: str, username: str | None, password: str | None) -> bytes:
    flags = 0x02 | (0x80 if username else 0) | (0x40 if password else 0)
    body = _text("MQTT") + struct.pack("!BBHB", 5, flags, KEEPALIVE, 0) + _text(client_id)
    body += b"".join(_text(part) for part in (username, password) if part)
    return bytes([CONNECT]) + _length(len(body)) + body


def _publish_packet(message: Arrival, packet_id: int, flags: int = 0) -> bytes:
    topic = message.topic.encode()
    length = len(topic) + len(message.payload) + 5
    return b"%c%b%b%b%b\0%b" % (
        PUBLISH_QOS1 | flags,
        _length(length),
        len(topic).to_bytes(2, "big"),
        topic,
        packet_id.to_bytes(2, "big"),
        message.payload,
    )


def _receive_maximum(connack: bytes) -> int:
    """How many messages the broker wants unacknowledged at most, as far as it says so."""
    place, end = 3, 3 + connack[2]
    while place < end:
        name = connack[place]
        if name == RECEIVE_MAXIMUM:
            return int.from_bytes(connack[place + 1 : place + 3], "big")
        if name not in PROPERTY_SIZES:
            break
        place += 1 + PROPERTY_SIZES[name]
    return 65535


def _text(text: str) -> bytes:
    content = text.encode()
    return len(content).to_bytes(2, "big") + content


def _length(value: int) -> bytes:
    encoded = bytearray()
    while True:
        value, digit = divmod(value, 128)
        encoded.append(digit | (0x80 if value else 0))
        if not value:
            return bytes(encoded)
