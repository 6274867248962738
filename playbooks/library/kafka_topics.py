"""Brings the topics of a cluster to what is declared: creates, grows and alters, never deletes."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_topics
short_description: Creates declared topics, adds partitions and alters settings
description:
  - Topics that are not declared are left alone. Settings that are not declared are left alone.
  - Fewer partitions or another replication factor than the topic has are refused before anything
    is changed, since Kafka can do neither in place.
  - Returns when every partition of every declared topic has a leader.
  - Runs with a Python that has kafka-python.
author: Streambed
options:
  bootstrap_servers:
    description: Brokers to connect to.
    type: list
    elements: str
    required: true
  topics:
    description: Topics with C(name), C(partitions), C(replication) and C(config).
    type: list
    elements: dict
    required: true
  timeout:
    description: Seconds to wait for leaders.
    type: int
    default: 60
"""

RETURN = r"""
actions:
  description: One sentence for each thing that was (in check mode, would be) done.
  type: list
  returned: always
"""

import time
from dataclasses import dataclass, field

from ansible.module_utils.basic import AnsibleModule


@dataclass(frozen=True)
class Topic:
    """A topic as declared, or as found."""

    name: str
    partitions: int
    replication: int
    config: dict[str, str] = field(default_factory=dict)


@dataclass
class Plan:
    create: list[Topic] = field(default_factory=list)
    grow: list[Topic] = field(default_factory=list)
    alter: dict[str, dict[str, str]] = field(default_factory=dict)
    actions: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)


def plan(declared: list[Topic], found: dict[str, Topic]) -> Plan:
    """What leads from the found topics to the declared ones."""
    result = Plan()
    for want in declared:
        have = found.get(want.name)
        if have is None:
            result.create.append(want)
            result.actions.append(f"create {want.name} with {want.partitions} partitions")
            continue
        if sentence := refusal(want, have):
            result.refusals.append(sentence)
            continue
        if want.partitions > have.partitions:
            result.grow.append(want)
            result.actions.append(
                f"grow {want.name} from {have.partitions} to {want.partitions} partitions"
            )
        changes = {k: v for k, v in want.config.items() if have.config.get(k) != v}
        if changes:
            result.alter[want.name] = changes
            result.actions += [
                f"set {key} of {want.name} from {have.config.get(key)} to {value}"
                for key, value in changes.items()
            ]
    return result


def refusal(want: Topic, have: Topic) -> str | None:
    if want.partitions < have.partitions:
        return (
            f"The topic {want.name} has {have.partitions} partitions and the stage wants "
            f"{want.partitions}: partitions cannot be taken away. Declare at least "
            f"{have.partitions}, or declare a topic with a new name."
        )
    if want.replication != have.replication:
        return (
            f"The topic {want.name} has {have.replication} replicas and the stage wants "
            f"{want.replication}: reassign its partitions with kafka-reassign-partitions first."
        )
    return None


def without_leader(topics: list[dict], declared: list[Topic]) -> list[str]:
    """Names of declared topics that are not wholly there yet."""
    led = {
        topic["name"]: sum(
            1 for p in topic["partitions"] if p["error_code"] == 0 and p["leader_id"] >= 0
        )
        for topic in topics
    }
    return [topic.name for topic in declared if led.get(topic.name, 0) < topic.partitions]


class Cluster:
    """The cluster through kafka-python."""

    def __init__(self, servers: list[str]) -> None:
        from kafka.admin import KafkaAdminClient

        self.admin = KafkaAdminClient(bootstrap_servers=servers, client_id="streambed-topics")

    def found(self, names: list[str]) -> dict[str, Topic]:
        present = {t["name"]: t for t in self.admin.describe_topics() if t["name"] in names}
        if not present:
            return {}
        resources = [self._resource(name) for name in present]
        configs = self.admin.describe_configs(resources, config_filter="all")["topic"]
        return {
            name: Topic(
                name=name,
                partitions=len(topic["partitions"]),
                replication=max(len(p["replica_nodes"]) for p in topic["partitions"]),
                config={key: entry["value"] for key, entry in configs[name].items()},
            )
            for name, topic in present.items()
        }

    def apply(self, plan: Plan) -> None:
        if plan.create:
            self.admin.create_topics(
                {
                    topic.name: {
                        "num_partitions": topic.partitions,
                        "replication_factor": topic.replication,
                        "configs": topic.config,
                    }
                    for topic in plan.create
                }
            )
        if plan.grow:
            self.admin.create_partitions({topic.name: topic.partitions for topic in plan.grow})
        if plan.alter:
            self.admin.alter_configs(
                [self._resource(name, changes) for name, changes in plan.alter.items()],
                incremental=True,
            )

    def wait(self, declared: list[Topic], timeout: int) -> list[str]:
        deadline = time.monotonic() + timeout
        names = [topic.name for topic in declared]
        while missing := without_leader(self.admin.describe_topics(names), declared):
            if time.monotonic() > deadline:
                break
            time.sleep(0.2)
        return missing

    @staticmethod
    def _resource(name: str, changes: dict[str, str] | None = None):
        from kafka.admin import ConfigResource, ConfigResourceType

        return ConfigResource(ConfigResourceType.TOPIC, name, configs=changes)


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "bootstrap_servers": {"type": "list", "elements": "str", "required": True},
            "topics": {"type": "list", "elements": "dict", "required": True},
            "timeout": {"type": "int", "default": 60},
        },
        supports_check_mode=True,
    )
    declared = [
        Topic(**topic | {"config": {key: str(value) for key, value in topic["config"].items()}})
        for topic in module.params["topics"]
    ]
    from kafka.errors import KafkaError

    try:
        cluster = Cluster(module.params["bootstrap_servers"])
        found = cluster.found([topic.name for topic in declared])
    except KafkaError as error:
        if not module.check_mode:
            module.fail_json(msg=f"No broker could tell which topics there are: {error}")
        found = {}  # a stage that is not there yet has no topics yet
    todo = plan(declared, found)
    if todo.refusals:
        module.fail_json(msg=" ".join(todo.refusals))
    if not module.check_mode:
        cluster.apply(todo)
        if missing := cluster.wait(declared, module.params["timeout"]):
            module.fail_json(
                msg=f"After {module.params['timeout']} s these topics still have partitions "
                f"without a leader: {', '.join(missing)}."
            )
    module.exit_json(changed=bool(todo.actions), actions=todo.actions)


if __name__ == "__main__":
    main()
