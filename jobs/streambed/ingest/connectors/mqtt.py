"""An MQTT 5 broker, at QoS 1: a message is acknowledged when Kafka has it, and not before.

Several hosts of one `group` share a subscription and divide the load. A host's session outlives
its connection, so what a killed host had not acknowledged waits for it and comes again when it is
back under the same `client_id`. `receive_maximum` bounds what is under way: the broker sends no
more than that before it is told that something is safe, so slowness travels back to the source.
"""

import contextlib
import logging
import queue
import socket
import ssl
import threading
from pathlib import Path
from typing import Any, NamedTuple

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from streambed.ingest.interfaces import Connector
from streambed.ingest.messages import Batch, RawMessage
from streambed.ingest.options import OptionError
from streambed.ingest.times import now_ms

log = logging.getLogger(__name__)

BATCH = 500
BACKOFF = (1, 30)  # seconds, doubling


class _Delivery(NamedTuple):
    message: RawMessage
    connection: int
    packet: int


class MqttConnector(Connector):
    def __init__(
        self,
        *,
        host: str,
        topics: list[str],
        port: int = 1883,
        group: str | None = None,
        client_id: str | None = None,
        receive_maximum: int = 5000,
        session_expiry: int = 3600,
        keepalive: int = 10,
        tls: bool = False,
        ca_file: str | None = None,
        username: str | None = None,
        password_file: str | None = None,
    ) -> None:
        """`session_expiry` is for how many seconds the broker keeps messages for a lost host."""
        if not 1 <= receive_maximum <= 65535:
            raise OptionError(f"receive_maximum: must be 1 to 65535; found {receive_maximum}.")
        if not topics:
            raise OptionError("topics: name at least one, for example '/hfp/v2/journey/#'.")
        if group is not None and (not group or set("/+#") & set(group)):
            raise OptionError(f"group: must be a word without '/', '+' and '#'; found {group!r}.")
        self._address = (host, port)
        self._keepalive = keepalive
        self._topics = [f"$share/{group}/{topic}" if group else topic for topic in topics]
        self._properties = Properties(PacketTypes.CONNECT)
        self._properties.SessionExpiryInterval = session_expiry
        self._properties.ReceiveMaximum = receive_maximum
        # Bounded by the broker, which keeps to receive_maximum.
        self._arrived: queue.SimpleQueue[_Delivery] = queue.SimpleQueue()
        self._connection = 0
        self._lock = threading.Lock()

        self._client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=client_id or f"streambed-{socket.gethostname()}",
            protocol=mqtt.MQTTv5,
            manual_ack=True,
        )
        self._client.reconnect_delay_set(*BACKOFF)
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = self._on_disconnect
        self._client.on_subscribe = self._on_subscribe
        self._client.on_message = self._on_message
        if tls or ca_file:
            try:
                self._client.tls_set_context(ssl.create_default_context(cafile=ca_file))
            except OSError as error:
                raise OptionError(f"ca_file: {ca_file} cannot be read: {error}.") from error
        if username is not None:
            self._client.username_pw_set(username, _read_secret(password_file))

    def open(self) -> None:
        host, port = self._address
        self._client.connect_async(
            host, port, self._keepalive, clean_start=False, properties=self._properties
        )
        self._client.loop_start()  # connects, and connects again, in a thread of its own

    def receive(self, timeout: float) -> Batch | None:
        try:
            deliveries = [self._arrived.get(timeout=timeout)]
        except queue.Empty:
            return None
        with contextlib.suppress(queue.Empty):
            while len(deliveries) < BATCH:
                deliveries.append(self._arrived.get_nowait())
        return Batch([delivery.message for delivery in deliveries], token=deliveries)

    def settle(self, batch: Batch) -> None:
        with self._lock:
            for delivery in batch.token:
                # After a reconnection packet numbers may mean other messages, and the broker
                # sends unacknowledged ones again: those are acknowledged, and these no more.
                if delivery.connection == self._connection:
                    self._client.ack(delivery.packet, 1)

    def close(self) -> None:
        # Acknowledgements are written by the client's thread: what waits goes out before goodbye.
        self._client.disconnect()
        self._client.loop_stop()

    def _on_connect(self, client: Any, _: Any, flags: Any, reason: Any, __: Any) -> None:
        if reason.is_failure:
            log.warning("%s:%s refuses the connection: %s.", *self._address, reason)
            return
        with self._lock:
            self._connection += 1
        known = "a session that it kept" if flags.session_present else "a new session"
        log.info("Connected to %s:%s with %s.", *self._address, known)
        client.subscribe([(topic, mqtt.SubscribeOptions(qos=1)) for topic in self._topics])

    def _on_disconnect(self, _: Any, __: Any, ___: Any, reason: Any, ____: Any) -> None:
        # Bumped here as well: nothing may be acknowledged that no connection has delivered.
        with self._lock:
            self._connection += 1
        log.info("Disconnected from %s:%s: %s.", *self._address, reason)

    def _on_subscribe(self, _: Any, __: Any, ___: Any, reasons: Any, ____: Any) -> None:
        for topic, reason in zip(self._topics, reasons):
            if reason.is_failure:
                log.error("The broker refuses the subscription to %s: %s.", topic, reason)

    def _on_message(self, _: Any, __: Any, message: Any) -> None:
        topic = message._topic.decode(errors="replace")  # `topic` raises if it is no UTF-8
        raw = RawMessage(topic, message.payload, now_ms())
        if message.qos == 0:  # nothing to acknowledge: the publisher did not ask for it
            self._arrived.put(_Delivery(raw, -1, 0))
        else:
            self._arrived.put(_Delivery(raw, self._connection, message.mid))


def _read_secret(file: str | None) -> str | None:
    if file is None:
        return None
    try:
        return Path(file).read_text().strip()
    except OSError as error:
        raise OptionError(f"password_file: {file} cannot be read: {error}.") from error
