"""Recordings: JSON lines, compressed, in files or in a bucket, each line a message as it came.

    {"received_at": "2020-09-21T03:00:01.148Z", "topic": "/hfp/…", "payload": "{\\"VP\\":…}"}

A payload that is no UTF-8 stands as `payload_base64`, so that garbage is recorded as it was, too.
"""

import base64
import gzip
import logging
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlparse

import orjson
import zstandard

from streambed.ingest.messages import RawMessage, make_message
from streambed.ingest.times import format_ms, parse_ms
from streambed.options import OptionError

log = logging.getLogger(__name__)

SUFFIXES = (".jsonl", ".jsonl.gz", ".jsonl.zst")
CHUNK = 1 << 17  # what stays in a core's cache until it is processed


def parse_line(line: bytes) -> RawMessage:
    """The message in a line; a line that is none becomes a message without a topic, so that it
    ends as a dead letter and not in silence."""
    try:
        row = orjson.loads(line)
        payload = row.get("payload")
        if payload is None:
            content = base64.b64decode(row["payload_base64"], validate=True)
        else:
            content = payload.encode()
        return make_message((row["topic"] + "", content, parse_ms(row["received_at"])))
    except (ValueError, KeyError, TypeError, AttributeError):
        return RawMessage("", line, 0)


def format_line(message: RawMessage) -> bytes:
    row = {"received_at": format_ms(message.received_ms), "topic": message.topic}
    try:
        row["payload"] = message.payload.decode()
    except UnicodeDecodeError:
        row["payload_base64"] = base64.b64encode(message.payload).decode()
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def find_files(source: str) -> list[str]:
    """The files of a recording in order: a file, or all in a directory or under `s3://…/`."""
    if source.startswith("s3://"):
        found = _list_bucket(source)
    elif Path(source).is_dir():
        found = [str(path) for path in Path(source).iterdir() if path.name.endswith(SUFFIXES)]
    else:
        found = [source] if Path(source).is_file() else []
    if not found:
        raise OptionError(f"source: there is no recording at {source}.")
    return sorted(found)


def read_lines(name: str) -> Iterator[list[bytes]]:
    """The lines of a file, many at a time. A file that was cut off ends early, with a warning."""
    rest = b""
    with _open_stream(name) as stream:
        try:
            while chunk := stream.read(CHUNK):
                lines = (rest + chunk).split(b"\n")
                rest = lines.pop()
                yield lines
        except (EOFError, zlib.error, zstandard.ZstdError) as error:
            log.warning("%s was cut off and is read as far as it goes: %s.", name, error)
            return
    if rest:
        yield [rest]


def compressed(raw: BinaryIO, name: str) -> BinaryIO:
    """A stream that writes to `raw`, compressed as the name says; closing it leaves `raw` open."""
    if name.endswith(".zst"):
        return zstandard.ZstdCompressor(level=3).stream_writer(raw, closefd=False)
    if name.endswith(".gz"):
        return gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=5, filename="", mtime=0)
    return raw


def s3_client() -> Any:
    # Here, because it takes half a second to import and files need no bucket. The address of a
    # server that stands in for S3 comes from AWS_ENDPOINT_URL, as for any other client.
    import boto3

    return boto3.client("s3")


def bucket_and_key(url: str) -> tuple[str, str]:
    parts = urlparse(url)
    return parts.netloc, parts.path.lstrip("/")


def _list_bucket(url: str) -> list[str]:
    bucket, prefix = bucket_and_key(url)
    pages = s3_client().get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    keys = [item["Key"] for page in pages for item in page.get("Contents", [])]
    return [f"s3://{bucket}/{key}" for key in keys if key.endswith(SUFFIXES)]


def _open_stream(name: str) -> BinaryIO:
    if name.startswith("s3://"):
        bucket, key = bucket_and_key(name)
        body = s3_client().get_object(Bucket=bucket, Key=key)["Body"]
        raw: Any = body
    else:
        raw = Path(name).open("rb")  # noqa: SIM115 (closed by the stream around it)
    if name.endswith(".zst"):
        return zstandard.ZstdDecompressor().stream_reader(
            raw, read_size=CHUNK, read_across_frames=True, closefd=True
        )
    if name.endswith(".gz"):
        return gzip.GzipFile(fileobj=raw)
    return raw
