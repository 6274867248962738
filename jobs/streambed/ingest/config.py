"""The configuration of an ingestion, as a role writes it: one YAML (or JSON) file.

connector: {name: mqtt, host: 198.18.0.20, topics: ["/hfp/v2/journey/#"], group: ingest}
processor: {name: hfp, modes: [bus, tram]}
kafka: {bootstrap: "198.18.0.11:9092,198.18.0.12:9092", tuning: {compression.type: zstd}}
wire: binary
dead_letter_topic: input.dead-letter
metrics: {port: 9108, address: 0.0.0.0}
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from streambed.events.codec import WIRE_MODES, WireMode
from streambed.ingest.messages import DEAD_LETTER_TOPIC
from streambed.options import OptionError, construct


@dataclass(frozen=True)
class Named:
    """A connector or processor: which, and with what options."""

    name: str
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class KafkaSettings:
    bootstrap: str
    tuning: dict = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class MetricsSettings:
    port: int
    address: str = "127.0.0.1"


@dataclass(frozen=True, kw_only=True)
class Config:
    connector: Named
    processor: Named
    kafka: KafkaSettings
    wire: WireMode = "binary"
    dead_letter_topic: str = DEAD_LETTER_TOPIC
    metrics: MetricsSettings | None = None


def load(path: Path) -> Config:
    try:
        data = yaml.safe_load(path.read_text())
    except OSError as error:
        raise OptionError(f"{path}: cannot be read: {error.strerror}.") from error
    except yaml.YAMLError as error:
        raise OptionError(f"{path}: not valid YAML: {error}.") from error
    return parse(data, where=str(path))


def parse(data: Any, *, where: str) -> Config:
    data = dict(_mapping(data, where))
    if data.get("wire", "binary") not in WIRE_MODES:
        raise OptionError(f"{where}: wire: must be binary or json; found {data['wire']!r}.")
    for kind in ("connector", "processor"):
        if kind in data:
            data[kind] = _named(data[kind], f"{where}: {kind}")
    for key, make in (("kafka", KafkaSettings), ("metrics", MetricsSettings)):
        if data.get(key) is not None:
            options = _mapping(data[key], f"{where}: {key}")
            data[key] = construct(make, options, where=f"{where}: {key}")
    return construct(Config, data, where=where)


def _named(value: Any, where: str) -> Named:
    options = {"name": value} if isinstance(value, str) else dict(_mapping(value, where))
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise OptionError(f"{where}: name: is missing; say which {where.rpartition(' ')[2]}.")
    return Named(name, options)


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise OptionError(f"{where}: a mapping of keys is needed, found {value!r}.")
    return value
