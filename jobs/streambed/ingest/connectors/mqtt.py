"""An MQTT 5 broker, at QoS 1: a message is acknowledged when Kafka has it, and not before.

Hosts of one `group` share a subscription and divide the load. A broker may go on to give a lost
host its share (mosquitto does, and drops it when the session expires), so the others take over the
session itself: they see it go offline, connect in its name, and hand it back when its host returns.

`receive_maximum` bounds what is under way: the broker sends no more than that before it is told
that something is safe, so slowness travels back to the source.
"""

import contextlib
import logging
import queue
import random
import socket
import ssl
import time
from pathlib import Path

from streambed.ingest.connectors.mqtt_session import NOBODY, Broker, Delivery, Session
from streambed.ingest.interfaces import Connector
from streambed.ingest.messages import Batch
from streambed.options import OptionError

log = logging.getLogger(__name__)

BATCH = 500
# Several may see a session go offline; the first to connect says so and the others let it be.
HESITATE = (0.0, 1.0)  # seconds


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
        takeover_after: int = 5,
        keepalive: int = 5,
        tls: bool = False,
        ca_file: str | None = None,
        username: str | None = None,
        password_file: str | None = None,
    ) -> None:
        """All in seconds: `session_expiry` for how long the broker keeps what a lost host did not
        acknowledge, `takeover_after` for how long a host may be gone before others step in, and
        `keepalive`: a host that fell silent is noticed after one and a half times of it."""
        if not 1 <= receive_maximum <= 65535:
            raise OptionError(f"receive_maximum: must be 1 to 65535; found {receive_maximum}.")
        if not topics:
            raise OptionError("topics: name at least one, for example '/hfp/v2/journey/#'.")
        if group is not None and (not group or set("/+#") & set(group)):
            raise OptionError(f"group: must be a word without '/', '+' and '#'; found {group!r}.")
        if takeover_after >= session_expiry:
            raise OptionError("takeover_after: must be less than session_expiry.")
        self._broker = Broker(
            host=host,
            port=port,
            keepalive=keepalive,
            session_expiry=session_expiry,
            receive_maximum=receive_maximum,
            takeover_after=takeover_after,
            tls=_tls(ca_file) if tls or ca_file else None,
            username=username,
            password=_read_secret(password_file),
        )
        self._group = group
        self._client_id = client_id or f"streambed-{socket.gethostname()}"
        self._topics = [f"$share/{group}/{topic}" if group else topic for topic in topics]
        # Bounded by the broker, which keeps to receive_maximum.
        self._arrived: queue.SimpleQueue[Delivery] = queue.SimpleQueue()
        self._presence: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
        self._orphans: dict[str, float] = {}  # sessions that are offline: when to take them over
        self._holders: dict[str, str] = {}
        self._sessions: dict[str, Session] = {}

    def open(self) -> None:
        self._start(self._client_id)

    def receive(self, timeout: float) -> Batch | None:
        self._look_after_orphans()
        try:
            deliveries = [self._arrived.get(timeout=timeout)]
        except queue.Empty:
            return None
        with contextlib.suppress(queue.Empty):
            while len(deliveries) < BATCH:
                deliveries.append(self._arrived.get_nowait())
        return Batch([delivery.message for delivery in deliveries], token=deliveries)

    def settle(self, batch: Batch) -> None:
        for delivery in batch.token:
            delivery.session.acknowledge(delivery)

    def close(self) -> None:
        for session in self._sessions.values():
            session.close()

    def _start(self, client_id: str) -> None:
        ours = client_id == self._client_id
        prefix = f"streambed/ingest/{self._group}"
        session = Session(
            self._broker,
            client_id,
            [*self._topics, *([f"{prefix}/+"] if self._group and ours else [])],
            presence_topic=f"{prefix}/{client_id}" if self._group else None,
            holder=self._client_id,
            on_delivery=self._arrived.put,
            on_presence=lambda *news: self._presence.put(news),
        )
        self._sessions[client_id] = session
        session.open()

    def _look_after_orphans(self) -> None:
        """Take over the sessions of lost hosts, and let go of those whose hosts are back."""
        now = time.monotonic()
        with contextlib.suppress(queue.Empty):
            while True:
                client_id, holder = self._presence.get_nowait()
                self._holders[client_id] = holder.decode(errors="replace")
                if holder == NOBODY and client_id not in self._sessions:
                    self._orphans[client_id] = now + random.uniform(*HESITATE)
                else:
                    self._orphans.pop(client_id, None)
        for client_id in [name for name, session in self._sessions.items() if session.lost]:
            self._sessions.pop(client_id).close()
            log.info("Handing back the session of %s.", client_id)
            # Not to its host but to nobody, if nobody says so: then it is an orphan again.
            if self._holders.get(client_id) == self._client_id:
                grace = self._broker.takeover_after + random.uniform(*HESITATE)
                self._orphans[client_id] = now + grace
        for client_id in [name for name, due in self._orphans.items() if due < now]:
            del self._orphans[client_id]
            log.info("Taking over the session of %s, which is gone.", client_id)
            self._start(client_id)


def _tls(ca_file: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise OptionError(f"ca_file: {ca_file} cannot be read: {error}.") from error


def _read_secret(file: str | None) -> str | None:
    if file is None:
        return None
    try:
        return Path(file).read_text().strip()
    except OSError as error:
        raise OptionError(f"password_file: {file} cannot be read: {error}.") from error
