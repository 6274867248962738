"""Ingestion against real brokers: those of a deployed stage, or loopback.py's on this machine.

STREAMBED_BOOTSTRAP=198.18.0.11:9092 STREAMBED_MQTT=198.18.0.19:1883 pytest tests/ingest
"""

import os

import pytest

from jobs.build import generate_schema

generate_schema()

from kafka_reader import Reader
from processes import Ingestion


def _address(name: str) -> str:
    if not (address := os.environ.get(name)):
        pytest.skip(f"{name} is not set; see tests/ingest/loopback.py")
    return address


@pytest.fixture
def bootstrap() -> str:
    return _address("STREAMBED_BOOTSTRAP")


@pytest.fixture
def mqtt() -> str:
    return _address("STREAMBED_MQTT")


@pytest.fixture
def kafka(bootstrap):
    """Reads what is written from now on."""
    with Reader(bootstrap) as reader:
        yield reader


@pytest.fixture
def ingestion(tmp_path, bootstrap):
    """Starts ingestions, and ends those that a test leaves running."""
    started = Ingestion(tmp_path, bootstrap)
    yield started
    started.end_all()
