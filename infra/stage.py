"""A stage is one file, `inventories/<stage>.yml`: read, checked and filled in here.

Pulumi, Ansible and the tests all go through this model, so a file that loads is a file that
deploys. What is wrong with a file is told in sentences: where, what is allowed, what was found.
"""

from __future__ import annotations

import difflib
import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    computed_field,
    model_validator,
)

from infra.duration import Duration


def folder() -> Path:
    """Where stage files are: beside the inventory plugin, or where a team keeps its own
    (`make deploy STAGES=../our-stages STAGE=dev`)."""
    return Path(os.environ.get("STAGES") or Path(__file__).parent.parent / "inventories").resolve()


Role = Literal[
    "kafka",
    "zookeeper",
    "spark_master",
    "spark_worker",
    "object_store",
    "mqtt_broker",
    "ingest",
    "fleet",
    "job",
]
ROLES: tuple[str, ...] = get_args(Role)

# What a role keeps must outlive its host, so its host needs a data volume.
STATEFUL: frozenset[str] = frozenset({"kafka", "zookeeper", "object_store", "mqtt_broker"})

# The least a role's process needs to start and breathe; a host must hold the sum of its roles, and
# a driver of each application of jobs.
MEMORY_MIB: dict[str, int] = {
    "kafka": 640,
    "zookeeper": 256,
    "spark_master": 384,
    "spark_worker": 1024,
    "object_store": 192,
    "mqtt_broker": 64,
    "ingest": 160,
    "fleet": 96,
    "job": 896,
}

# A worker keeps so much for itself, and offers this share of the rest: heaps are not all that
# executors take, there are Python, RocksDB and network buffers. Spark refuses smaller executors.
WORKER_OWN_MIB = 256
WORKER_OFFERS = 0.5
EXECUTOR_MIB = 450

# Kafka 4 has no ZooKeeper in it any more, and 3.9 is the last line that has.
KAFKA_VERSIONS: dict[str, tuple[str, ...]] = {"kraft": ("4.3.1",), "zookeeper": ("3.9.2",)}

Label = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=20)]
TopicName = Annotated[str, Field(pattern=r"^[a-zA-Z0-9._-]{1,200}$")]


class StageError(Exception):
    """What is wrong with a stage, one sentence a line."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HostGroup(_Model):
    """Hosts that are alike. `first` is the number of the first one, so that two groups with the
    same role (say, old and new brokers) can have numbers that do not meet."""

    name: Label
    count: int = Field(ge=1, le=60)
    first: int = Field(default=1, ge=1, le=900)
    roles: tuple[Role, ...] = Field(min_length=1)
    memory_mib: int = Field(ge=192)
    cores: int = Field(default=1, ge=1, le=256)
    data_gib: int | None = Field(default=None, ge=1, le=16384)


class Identity(_Model):
    """One host for ever: whatever is recreated, `kafka-2` keeps its volume, address and ids."""

    group: str
    number: int
    roles: tuple[Role, ...]
    zone: str
    memory_mib: int
    cores: int
    data_gib: int | None

    @computed_field
    @property
    def name(self) -> str:
        return f"{self.group}-{self.number}"


class Kafka(_Model):
    metadata: Literal["kraft", "zookeeper"] = "kraft"
    version: str = ""
    replication_factor: int = Field(default=3, ge=1)
    min_insync_replicas: int = Field(default=2, ge=1)
    controllers: int = Field(default=3, ge=1)

    @model_validator(mode="before")
    @classmethod
    def _version_follows_metadata(cls, data: Any) -> Any:
        if isinstance(data, dict) and "version" not in data:
            metadata = data.get("metadata", "kraft")
            data = data | {"version": KAFKA_VERSIONS.get(metadata, ("",))[0]}
        return data


class ZooKeeper(_Model):
    version: Literal["3.9.5"] = "3.9.5"
    # A Spark master is replaced when its session ends: the longest session bounds the failover.
    max_session_timeout_ms: int = Field(default=5000, ge=2000, le=60000)


class Spark(_Model):
    version: Literal["4.2.0"] = "4.2.0"
    # Of each application of jobs; where absent, as many as there are workers.
    executors: int | None = Field(default=None, ge=1)


class Topic(_Model):
    name: TopicName
    partitions: int = Field(default=6, ge=1, le=4096)
    retention: Duration = Field(default=6 * 3600, ge=60)
    cleanup: Literal["delete", "compact"] = "delete"

    @computed_field
    @property
    def retention_ms(self) -> int:
        return self.retention * 1000


class Ingestion(_Model):
    """Where messages come from and what they are: a connector and a processor, each a `name` with
    its options. Every host with the role `ingest` runs it, as a unit of that name."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*$", max_length=20)]
    connector: dict[str, Any]
    processor: dict[str, Any]
    metrics_port: int = Field(default=9110, ge=1024, le=65535)


class Job(_Model):
    """One streaming query, bundled with Streambed or in a file of the user's own. The jobs of an
    application share a driver and executors; every host with the role `job` can drive it."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=40)]
    application: Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*$", max_length=20)] = "analytics"
    options: dict[str, Any] = {}
    trigger: str | None = None
    guarantee: Literal["exactly-once", "at-least-once"] | None = None
    file: str | None = None


class Fleet(_Model):
    """Made-up vehicles that publish to the stage's own MQTT broker."""

    vehicles: int = Field(default=100, ge=1, le=99_999)
    seed: int = 1


class Stage(_Model):
    name: Label
    provider: Literal["lab"]
    zones: tuple[Label, ...] = Field(min_length=1)
    network: str | None = None
    hosts: tuple[HostGroup, ...] = Field(min_length=1)
    kafka: Kafka = Kafka(version=KAFKA_VERSIONS["kraft"][0])
    zookeeper: ZooKeeper = ZooKeeper()
    spark: Spark = Spark()
    bucket: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")] = "streambed"
    topics: tuple[Topic, ...] = ()
    wire: Literal["binary", "json"] = "binary"
    ingest: tuple[Ingestion, ...] = ()
    jobs: tuple[Job, ...] = ()
    fleet: Fleet = Fleet()
    checkpoint_interval: Duration = Field(default=10, ge=1)
    outage_budget: Duration = Field(default=3600, ge=0)
    may_destroy: tuple[Literal["cluster", "foundation"], ...] = ()

    def identities(self) -> list[Identity]:
        """Every host, its zone told by its number so that neighbours never share one."""
        return [
            Identity(
                group=group.name,
                number=number,
                zone=self.zones[(number - 1) % len(self.zones)],
                **group.model_dump(include={"roles", "memory_mib", "cores", "data_gib"}),
            )
            for group in self.hosts
            for number in range(group.first, group.first + group.count)
        ]

    def with_role(self, role: Role) -> list[Identity]:
        return [identity for identity in self.identities() if role in identity.roles]

    def applications(self) -> list[str]:
        """The names of the Spark applications, in the order in which jobs mention them."""
        return list(dict.fromkeys(job.application for job in self.jobs))

    @property
    def memory_mib(self) -> int:
        return sum(identity.memory_mib for identity in self.identities())


def load(name: str) -> Stage:
    """The stage of that name, or a StageError that says what to mend."""
    path = folder() / f"{name}.yml"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in folder().glob("*.yml"))) or "none"
        raise StageError(f"There is no stage {name!r}: {path} does not exist; stages: {known}.")
    return parse(path.read_text(), name=name, file=f"{path.parent.name}/{path.name}")


def parse(text: str, *, name: str, file: str) -> Stage:
    try:
        data = yaml.load(text, Loader=_StrictLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or "cannot be read"
        raise StageError(f"{file}{where}: not valid YAML: {problem}.") from error
    if not isinstance(data, dict):
        raise StageError(f"{file}: a mapping of keys is needed, found {type(data).__name__}.")
    if "name" in data:
        raise StageError(f"{file}: name: the stage is named by its file; remove this key.")
    try:
        stage = Stage.model_validate({"name": name, **data})
    except ValidationError as error:
        raise StageError("\n".join(_sentence(file, e) for e in error.errors())) from error
    from infra import rules  # rules are about a Stage, so they import this module

    if broken := list(rules.broken_by(stage)):
        raise StageError("\n".join(f"{file}: {key}: {sentence}" for key, sentence in broken))
    return stage


class _StrictLoader(yaml.SafeLoader):
    """YAML takes the last of two equal keys in silence; here it is a mistake."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, str | int) and key in seen:
                raise yaml.constructor.ConstructorError(
                    problem=f"the key {key!r} stands twice", problem_mark=key_node.start_mark
                )
            seen.add(key if isinstance(key, str | int) else id(key_node))
        return super().construct_mapping(node, deep=deep)


def _sentence(file: str, error: Any) -> str:
    key = re.sub(r"\.(\d+)", r"[\1]", ".".join(str(part) for part in error["loc"]))
    found = error["input"]
    match error["type"]:
        case "extra_forbidden":
            known = _keys_at(error["loc"][:-1])
            near = difflib.get_close_matches(str(error["loc"][-1]), known, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            text = f"is not a known key; {hint}Allowed: {', '.join(known)}"
        case "missing":
            text = "is missing and has no default; add it"
        case "literal_error":
            allowed = error["ctx"]["expected"].replace("'", "")
            text = f"allowed: {allowed}; found {found!r}"
        case "string_pattern_mismatch":
            text = f"must match {error['ctx']['pattern']}; found {found!r}"
        case "value_error":
            text = str(error["ctx"]["error"])
        case _:
            text = f"{error['msg'][0].lower()}{error['msg'][1:]}; found {found!r}"
    return f"{file}: {key}: {text}."


def _keys_at(path: tuple[Any, ...]) -> list[str]:
    """The keys that the model knows at a place, for the sentence about one it does not."""
    model: Any = Stage
    for part in path:
        if isinstance(part, str):
            annotation = model.model_fields[part].annotation
            inner = [a for a in get_args(annotation) if isinstance(a, type)]
            model = inner[0] if inner and issubclass(inner[0], BaseModel) else annotation
    return sorted(key for key in model.model_fields if not (model is Stage and key == "name"))
