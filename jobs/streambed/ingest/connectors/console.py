"""Standard input, for trying things: one message per line, `<topic> <payload>`.

Topics of HFP may hold spaces, so the payload starts at the first `{`. A line of a recording works
as well.
"""

import os
import select
import sys
from typing import BinaryIO

from streambed.ingest.interfaces import Connector
from streambed.ingest.messages import Batch, RawMessage
from streambed.ingest.recordings import parse_line
from streambed.ingest.times import now_ms

CHUNK = 65536


class ConsoleConnector(Connector):
    def __init__(self) -> None:
        self._input: BinaryIO = sys.stdin.buffer
        self._rest = b""
        self._ended = False

    def open(self) -> None:
        pass

    def receive(self, timeout: float) -> Batch | None:
        ready, _, _ = select.select([self._input], [], [], timeout)
        if self._ended or not ready:
            return None
        chunk = os.read(self._input.fileno(), CHUNK)
        self._ended = not chunk
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        if self._ended:
            lines, self._rest = [*lines, self._rest], b""
        messages = [_message(line) for line in lines if line.strip()]
        return Batch(messages) if messages else None

    def settle(self, batch: Batch) -> None:
        pass

    def close(self) -> None:
        pass

    @property
    def exhausted(self) -> bool:
        return self._ended


def _message(line: bytes) -> RawMessage:
    if line.startswith(b"{"):
        return parse_line(line)
    topic, brace, payload = line.partition(b"{")
    return RawMessage(topic.strip().decode(errors="replace"), brace + payload, now_ms())
