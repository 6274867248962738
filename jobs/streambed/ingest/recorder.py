"""Writes what a connector delivers to rotating, compressed files in a directory or a bucket.

A file is named by when it was begun and ends in `.part` while it grows. A message is settled when
its bytes are on disk, so a recorder that is killed loses nothing that its source does not repeat:
the next run takes up the parts it left.
"""

import logging
import os
import threading
import time
from pathlib import Path
from typing import Any

from streambed.ingest.interfaces import Connector
from streambed.ingest.messages import Batch
from streambed.ingest.recordings import bucket_and_key, compressed, format_line, s3_client
from streambed.ingest.times import format_ms, now_ms
from streambed.options import OptionError

log = logging.getLogger(__name__)

SYNC_EVERY = 1.0
PART = ".part"


class Recorder:
    def __init__(
        self,
        *,
        to: str,
        rotate_seconds: float = 3600,
        rotate_bytes: int = 1 << 30,
        compression: str = "zst",
        spool: str = "/var/tmp/streambed-recorder",
    ) -> None:
        """`to` is a directory or `s3://bucket/prefix/`; `spool` is where files for a bucket grow.
        `rotate_bytes` counts before compression."""
        if compression not in ("zst", "gz"):
            raise OptionError(f"compression: must be 'zst' or 'gz'; found {compression!r}.")
        if rotate_seconds <= 0 or rotate_bytes <= 0:
            raise OptionError("Rotation needs a positive number of seconds and of bytes.")
        self._bucket = to if to.startswith("s3://") else None
        self._directory = Path(spool if self._bucket else to)
        self._rotate_seconds = rotate_seconds
        self._rotate_bytes = rotate_bytes
        self._suffix = f".jsonl.{compression}"
        self._part: _Part | None = None
        self._files = 0
        self.recorded = 0

    def run(self, connector: Connector, stop: threading.Event) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        for path in sorted(self._directory.glob(f"*{PART}")):
            log.info("Taking up %s, which an earlier run left.", path)
            self._publish(path)
        connector.open()
        try:
            while not stop.is_set() and not connector.exhausted:
                self._record(connector)
            if self._part is not None:
                self._finish(connector)
        finally:
            connector.close()

    def _record(self, connector: Connector) -> None:
        batch = connector.receive(0.1)
        if batch is not None:
            if self._part is None:
                self._part = _Part(self._directory / f"{self._next_name()}{PART}")
            self._part.write(batch)
        part = self._part
        if part is None:
            return
        if part.age >= self._rotate_seconds or part.written >= self._rotate_bytes:
            self._finish(connector)
        elif part.unsynced_for >= SYNC_EVERY:
            self._settle(connector, part.sync())

    def _next_name(self) -> str:
        """In order of time and, for files that were begun in one millisecond, of number."""
        self._files += 1
        return f"{format_ms(now_ms()).replace(':', '-')}-{self._files:06d}{self._suffix}"

    def _finish(self, connector: Connector) -> None:
        part, self._part = self._part, None
        self._settle(connector, part.close())
        self._publish(part.path)

    def _settle(self, connector: Connector, batches: list[Batch]) -> None:
        for batch in batches:
            connector.settle(batch)
            self.recorded += len(batch.messages)

    def _publish(self, path: Path) -> None:
        whole = path.with_name(path.name.removesuffix(PART))
        if self._bucket is None:
            path.rename(whole)
            return
        bucket, prefix = bucket_and_key(self._bucket)
        s3_client().upload_file(str(path), bucket, prefix + whole.name)
        path.unlink()


class _Part:
    """A file that grows, and the batches in it that are not yet safe on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._raw = path.open("xb")
        self._stream: Any = compressed(self._raw, path.name.removesuffix(PART))
        self._unsynced: list[Batch] = []
        self._opened = self._synced = time.monotonic()
        self.written = 0

    @property
    def age(self) -> float:
        return time.monotonic() - self._opened

    @property
    def unsynced_for(self) -> float:
        return time.monotonic() - self._synced if self._unsynced else 0.0

    def write(self, batch: Batch) -> None:
        lines = b"".join(format_line(message) for message in batch.messages)
        self._stream.write(lines)
        self.written += len(lines)
        self._unsynced.append(batch)

    def sync(self) -> list[Batch]:
        self._stream.flush()
        return self._synced_to_disk()

    def close(self) -> list[Batch]:
        self._stream.close()
        synced = self._synced_to_disk()
        self._raw.close()
        return synced

    def _synced_to_disk(self) -> list[Batch]:
        self._raw.flush()
        os.fsync(self._raw.fileno())
        self._synced = time.monotonic()
        synced, self._unsynced = self._unsynced, []
        return synced
