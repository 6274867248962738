"""One session with an MQTT 5 broker: a client identifier, its subscriptions, what waits for it.

The session outlives the connection, so what was not acknowledged comes again to whoever connects
next under the same identifier. Who holds it stands on a retained topic: the holder's identifier,
or nobody when the connection has been gone for longer than a restart takes.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from streambed.ingest.messages import RawMessage
from streambed.ingest.times import now_ms

log = logging.getLogger(__name__)

NOBODY = b"-"
BACKOFF = (1, 30)  # seconds, doubling
PATIENCE = 5.0  # seconds for the broker's last answer


@dataclass(frozen=True)
class Broker:
    """How to reach it, and what to ask of it."""

    host: str
    port: int
    keepalive: int
    session_expiry: int
    receive_maximum: int
    takeover_after: int
    tls: Any = None
    username: str | None = None
    password: str | None = None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Delivery(NamedTuple):
    """A message and what it takes to acknowledge it."""

    message: RawMessage
    session: "Session"
    connection: int
    packet: int


class Session:
    def __init__(
        self,
        broker: Broker,
        client_id: str,
        topics: Sequence[str],
        *,
        presence_topic: str | None,
        holder: str,
        on_delivery: Callable[[Delivery], None],
        on_presence: Callable[[str, bytes], None],
    ) -> None:
        self.client_id = client_id
        self.lost = False
        self._broker = broker
        self._topics = topics
        self._presence_topic = presence_topic
        self._holder = holder
        self._on_delivery = on_delivery
        self._on_presence = on_presence
        self._connection = 0
        self._lock = threading.Lock()
        self._answered = threading.Event()
        self._client = self._make_client()

    def open(self) -> None:
        properties = Properties(PacketTypes.CONNECT)
        properties.SessionExpiryInterval = self._broker.session_expiry
        properties.ReceiveMaximum = self._broker.receive_maximum
        self._client.connect_async(
            self._broker.host,
            self._broker.port,
            self._broker.keepalive,
            clean_start=False,
            properties=properties,
        )
        self._client.loop_start()  # connects, and connects again, in a thread of its own

    def acknowledge(self, delivery: Delivery) -> None:
        with self._lock:
            # After a reconnection packet numbers may mean other messages, and the broker sends
            # unacknowledged ones again: those are acknowledged, and these no more.
            if delivery.connection == self._connection:
                self._client.ack(delivery.packet, 1)

    def close(self) -> None:
        """Say goodbye, when the broker has read the acknowledgements that were sent before.

        A socket that is closed while the broker still sends is reset, and takes with it what the
        broker has not read: it would deliver again what Kafka has.
        """
        if self._client.is_connected():
            self._answered.clear()
            self._subscribe(self._client)
            self._answered.wait(PATIENCE)
        if self._presence_topic is not None and not self.lost and self._client.is_connected():
            self._client.publish(self._presence_topic, NOBODY, qos=0, retain=True)
        self._client.disconnect()
        self._client.loop_stop()

    def _make_client(self) -> mqtt.Client:
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=self.client_id,
            protocol=mqtt.MQTTv5,
            manual_ack=True,
        )
        client.reconnect_delay_set(*BACKOFF)
        client.on_connect = self._connected
        client.on_disconnect = self._disconnected
        client.on_subscribe = self._subscribed
        client.on_message = self._arrived
        if self._broker.tls is not None:
            client.tls_set_context(self._broker.tls)
        if self._broker.username is not None:
            client.username_pw_set(self._broker.username, self._broker.password)
        if self._presence_topic is not None:
            # The broker says it for us, unless the session is taken up again before.
            will = Properties(PacketTypes.WILLMESSAGE)
            will.WillDelayInterval = self._broker.takeover_after
            client.will_set(self._presence_topic, NOBODY, qos=1, retain=True, properties=will)
        return client

    def _connected(self, client: Any, _: Any, flags: Any, reason: Any, __: Any) -> None:
        if reason.is_failure:
            log.warning("%s refuses %s: %s.", self._broker, self.client_id, reason)
            return
        with self._lock:
            self._connection += 1
        known = "a session that it kept" if flags.session_present else "a new session"
        log.info("Connected to %s as %s with %s.", self._broker, self.client_id, known)
        self._subscribe(client)
        if self._presence_topic is not None:
            client.publish(self._presence_topic, self._holder.encode(), qos=1, retain=True)

    def _subscribe(self, client: Any) -> None:
        client.subscribe([(topic, mqtt.SubscribeOptions(qos=1)) for topic in self._topics])

    def _disconnected(self, client: Any, _: Any, __: Any, reason: Any, ___: Any) -> None:
        # Nothing may be acknowledged that the next connection has not delivered.
        with self._lock:
            self._connection += 1
        log.info("Disconnected from %s as %s: %s.", self._broker, self.client_id, reason)
        if self.client_id != self._holder:
            # Most likely its owner is back. Connecting again would throw the owner out.
            self.lost = True
            client.disconnect()  # which is how the client is told to leave it at that

    def _subscribed(self, _: Any, __: Any, ___: Any, reasons: Any, ____: Any) -> None:
        for topic, reason in zip(self._topics, reasons):
            if reason.is_failure:
                log.error("%s refuses the subscription to %s: %s.", self._broker, topic, reason)
        self._answered.set()

    def _arrived(self, client: Any, _: Any, message: Any) -> None:
        topic = message._topic.decode(errors="replace")  # `topic` raises if it is no UTF-8
        if self._presence_topic is not None and topic.startswith(presence_prefix(self)):
            if message.qos:
                client.ack(message.mid, message.qos)
            self._on_presence(topic.rpartition("/")[2], message.payload)
            return
        raw = RawMessage(topic, message.payload, now_ms())
        # At QoS 0 there is nothing to acknowledge: the publisher did not ask for it.
        connection = self._connection if message.qos else -1
        self._on_delivery(Delivery(raw, self, connection, message.mid))


def presence_prefix(session: Session) -> str:
    return session._presence_topic.rpartition("/")[0] + "/"
