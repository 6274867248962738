"""The producer: idempotent, acknowledged by all in-sync replicas, bounded, and patient."""

from collections.abc import Mapping
from typing import Any

from confluent_kafka import Producer

from streambed.options import OptionError

# What makes the promise; a configuration may tune everything but these.
PROMISED = {
    "enable.idempotence": True,
    "acks": "all",
    # Kafka may be away for as long as it takes: nothing is given up, the source waits.
    "message.timeout.ms": 0,
}
TUNED = {
    # As small as lz4 is quick, and readable by kafka-python without one more library.
    "compression.type": "zstd",
    "batch.size": 262_144,
    "batch.num.messages": 10_000,
    # The bound on memory: when it is reached, producing waits.
    "queue.buffering.max.messages": 50_000,
    "queue.buffering.max.kbytes": 65_536,
    # By the hash that Java clients use, so that a vehicle has one partition for everybody.
    "partitioner": "murmur2_random",
    "socket.keepalive.enable": True,
    "reconnect.backoff.max.ms": 2000,
    "log.connection.close": False,
}


# How long to gather records for one request, in ms. Who waits for windows of seconds does not miss
# a tenth of one, and fewer requests leave ingestion and brokers a fifth of their cores.
LINGER_MS = 100


def make_producer(bootstrap: str, tuning: Mapping[str, Any] | None = None) -> Producer:
    for name in tuning or {}:
        if name in PROMISED:
            raise OptionError(f"kafka: {name}: is fixed at {PROMISED[name]!r}; remove it.")
    try:
        settings = {**TUNED, "linger.ms": LINGER_MS, **(tuning or {}), **PROMISED}
        return Producer({"bootstrap.servers": bootstrap, **settings})
    except Exception as error:  # librdkafka's own words about a setting
        raise OptionError(f"kafka: {error}.") from error
