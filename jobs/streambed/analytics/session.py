"""A session with ZooKeeper that holds the lock of an application, and proves it again and again.

NOTE: kazoo tells LOST only once it reaches the ensemble again, and its Lock goes on saying that it
is acquired (https://kazoo.readthedocs.io/en/latest/basic_usage.html, "Understanding Kazoo States"):
so the proof does not rest on either. Twice a second a transaction asks for nothing but that the
lock's node exists. Unlike a read it needs a quorum, so a server that is cut off cannot answer it,
and unlike a write it wakes nobody who waits for the lock.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import CancelledError, KazooException
from kazoo.handlers.threading import SequentialThreadingHandler
from kazoo.protocol.connection import _CONNECTION_DROP

from streambed.analytics.lease import Lease

log = logging.getLogger(__name__)

# What is asked for; the ensemble may grant less.
SESSION_S = 5.0
PROVE_EVERY_S = 0.5
# A server that has not answered in this time is left for another one. kazoo itself would wait for
# two thirds of the session, and for ever while requests are on their way.
ANSWER_WITHIN_S = 1.5
CONNECT_WITHIN_S = 1.0
ANY_VERSION = -1


def clock() -> float:
    """Seconds that go on while the machine is suspended, as the ensemble's do."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class _Impatient(SequentialThreadingHandler):
    """A server that is switched off must not cost the time in which another one could answer."""

    def create_connection(self, *args, **options):
        options["timeout"] = min(options.get("timeout", CONNECT_WITHIN_S), CONNECT_WITHIN_S)
        return super().create_connection(*args, **options)


class Session:
    def __init__(self, ensemble: str, lease: Lease) -> None:
        self._lease = lease
        self._closed = threading.Event()
        self._granted_s = SESSION_S
        self._client = KazooClient(
            hosts=ensemble,
            timeout=SESSION_S,
            handler=_Impatient(),
            connection_retry={"max_tries": -1, "delay": 0.1, "backoff": 1, "max_jitter": 0.1},
        )
        self._client.add_listener(self._listen)
        self._learn_what_is_granted()

    def take_lock(self, path: str, data: str, *, give_up: Callable[[], bool]) -> bool:
        """Wait for the lock, prove that it is held, and go on proving it in a thread."""
        if not self._connect(give_up):
            return False
        lock = self._client.Lock(path, data)
        # In a thread, since a signal cannot wake whoever waits inside kazoo.
        waiting = threading.Thread(target=self._acquire, args=(lock,), daemon=True)
        waiting.start()
        while waiting.is_alive() and not lock.cancelled:
            waiting.join(0.2)
            if give_up():
                lock.cancel()
        if not lock.is_acquired:
            return False
        node = f"{path}/{lock.node}"
        while not self._lease.held(clock()) and not give_up():
            self._prove(node)
        threading.Thread(target=self._keep_proving, args=(node,), daemon=True).start()
        return not give_up()

    def close(self) -> None:
        """End the session; with it goes the lock's node, and the next host has the lock."""
        self._closed.set()
        self._client.stop()
        self._client.close()

    def _connect(self, give_up: Callable[[], bool]) -> bool:
        connected = self._client.start_async()
        while not connected.wait(0.2):
            if give_up():
                return False
        return True

    def _acquire(self, lock) -> None:
        try:
            lock.acquire()
        except CancelledError:
            pass
        except KazooException as error:
            self._lease.lose(f"the lock could not be taken: {error!r}")

    def _keep_proving(self, node: str) -> None:
        while not self._closed.wait(PROVE_EVERY_S):
            self._prove(node)

    def _prove(self, node: str) -> None:
        request = self._client.transaction()
        request.check(node, ANY_VERSION)
        asked_at, was_connected = clock(), self._client.connected
        try:
            (answer,) = request.commit_async().get(timeout=ANSWER_WITHIN_S)
        except self._client.handler.timeout_exception:
            if was_connected and self._client.connected:
                log.warning("ZooKeeper's server does not answer; trying another one.")
                self._client._call(_CONNECTION_DROP, self._client.handler.async_result())
        except KazooException:  # the connection is gone, and kazoo is looking for another one
            self._closed.wait(0.1)
        else:
            if isinstance(answer, Exception):
                self._lease.lose("the lock's node is gone from ZooKeeper")
            else:
                self._lease.confirm(asked_at=asked_at, session_s=self._granted_s)

    def _listen(self, state: str) -> None:
        if state == KazooState.LOST and not self._closed.is_set():
            self._lease.lose("ZooKeeper has ended the session")

    def _learn_what_is_granted(self) -> None:
        """kazoo keeps the granted timeout to itself; what it derives from it passes by here."""
        connection, servers = self._client._connection, len(self._client.hosts)
        connect = connection._connect

        def connect_and_tell(*arguments):
            read_timeout_ms, connect_timeout_ms = connect(*arguments)
            self._granted_s = connect_timeout_ms * servers / 1000
            return read_timeout_ms, connect_timeout_ms

        connection._connect = connect_and_tell
