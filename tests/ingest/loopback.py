"""One Kafka broker and one MQTT broker on this machine, for trying the ingestion tests at a desk.

    python tests/ingest/loopback.py <bundle tree> pytest tests/ingest

runs a command with STREAMBED_BOOTSTRAP and STREAMBED_MQTT set, and ends both brokers after it.
A deployed stage needs none of this: set the two variables to its addresses instead.
"""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from base64 import urlsafe_b64encode
from pathlib import Path

TOPICS = ("input.vehicle-position", "input.stop-event", "input.journey-event", "input.dead-letter")


def main() -> int:
    bundle, command = Path(sys.argv[1]), sys.argv[2:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that both brokers end with us
    with tempfile.TemporaryDirectory() as directory:
        kafka, bootstrap = start_kafka(bundle, Path(directory))
        mqtt, address = start_mosquitto(Path(directory))
        try:
            create_topics(bootstrap)
            env = {**os.environ, "STREAMBED_BOOTSTRAP": bootstrap, "STREAMBED_MQTT": address}
            print(f"STREAMBED_BOOTSTRAP={bootstrap} STREAMBED_MQTT={address}", flush=True)
            return subprocess.run(command, env=env, check=False).returncode
        finally:
            for process in (mqtt, kafka):
                process.terminate()
                process.wait()


def start_kafka(bundle: Path, directory: Path) -> tuple[subprocess.Popen, str]:
    port, controller = free_port(), free_port()
    settings = directory / "server.properties"
    settings.write_text(
        f"""process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
controller.listener.names=CONTROLLER
log.dirs={directory}/kafka
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
auto.create.topics.enable=false
"""
    )
    (jars,) = bundle.glob("opt/streambed/kafka-4*/lib")
    java = ["java", "-Xmx512m", "-cp", f"{jars}/*"]
    cluster = urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
    log = (directory / "kafka.log").open("w")
    subprocess.run(
        [*java, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(settings)],
        stdout=log,
        stderr=log,
        check=True,
    )
    broker = subprocess.Popen([*java, "kafka.Kafka", str(settings)], stdout=log, stderr=log)
    await_port(port, broker)
    return broker, f"127.0.0.1:{port}"


def start_mosquitto(directory: Path) -> tuple[subprocess.Popen, str]:
    port = free_port()
    settings = directory / "mosquitto.conf"
    # Queues without a bound: a broker that drops what it has acknowledged would fail every test.
    settings.write_text(
        f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\n"
        "max_queued_messages 0\nmax_inflight_messages 0\n"
    )
    broker = subprocess.Popen(
        ["/usr/sbin/mosquitto", "-c", str(settings)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    await_port(port, broker)
    return broker, f"127.0.0.1:{port}"


def create_topics(bootstrap: str) -> None:
    from confluent_kafka.admin import AdminClient, NewTopic

    topics = [NewTopic(name, 6, 1) for name in TOPICS]
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for created in admin.create_topics(topics).values():
        created.result()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def await_port(port: int, process: subprocess.Popen) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise SystemExit(f"{process.args[0]} did not open port {port}.")


if __name__ == "__main__":
    sys.exit(main())
