"""How this MQTT broker is: whether it lets a client in."""

import re
import socket
from pathlib import Path

SETTINGS = Path("/etc/mqtt-broker/mosquitto.conf")

# CONNECT of MQTT 5: clean start, 10 s keep alive, no properties, and a name given by the broker.
HELLO = bytes([0x10, 13, 0, 4, *b"MQTT", 5, 2, 0, 10, 0, 0, 0])
CONNACK = 0x20


def healthy():
    port, address = re.search(r"^listener (\d+) (\S+)$", SETTINGS.read_text(), re.M).groups()
    with socket.create_connection((address, int(port)), timeout=3) as connection:
        connection.sendall(HELLO)
        answer = connection.recv(4)
    if len(answer) < 4 or answer[0] != CONNACK or answer[3] >= 0x80:
        raise RuntimeError(f"it lets nobody in on {address}:{port}")
    return f"lets clients in on {address}:{port}"


def may_stop():
    """There is one: clients keep what it has not acknowledged, and try again."""
    return "clients try again until it is back"


def leads():
    raise RuntimeError("there is nobody to lead")
