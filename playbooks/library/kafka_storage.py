"""Refuses a log directory that belongs to another broker or another cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kafka_storage
short_description: Refuses a log directory that belongs to another broker or another cluster
description:
  - Reads C(meta.properties), changes nothing. A directory without it belongs to nobody yet.
  - With ZooKeeper the cluster's id is ZooKeeper's own, so only the broker's id is compared.
author: Streambed
options:
  path:
    description: The log directory.
    type: path
    required: true
  metadata:
    description: Where the cluster's metadata is kept.
    type: str
    choices: [kraft, zookeeper]
    required: true
  cluster_id:
    description: The cluster's id.
    type: str
    required: true
  node_id:
    description: The broker's id.
    type: int
    required: true
  host:
    description: The host's name, for the refusal.
    type: str
    required: true
"""

import os

from ansible.module_utils.basic import AnsibleModule

KEYS = {"kraft": "node.id", "zookeeper": "broker.id"}
REMEDY = "Attach the volume of this host, or purge the stage if its data may go."


def parse_properties(text: str) -> dict[str, str]:
    lines = [line.strip() for line in text.splitlines()]
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def refusal(
    found: dict[str, str], *, metadata: str, cluster_id: str, node_id: int, host: str
) -> str | None:
    """Why this directory must not be used, or None if it may be."""
    formatted_for = "kraft" if found.get("version") == "1" else "zookeeper"
    if formatted_for != metadata:
        return (
            f"{host}: its Kafka data was written with metadata mode {formatted_for}, but the stage "
            f"says {metadata}. Set kafka.metadata back to {formatted_for}, or purge the stage if "
            f"its data may go."
        )
    if metadata == "kraft" and found.get("cluster.id") != cluster_id:
        return (
            f"{host}: its Kafka data belongs to the cluster {found.get('cluster.id')}, not to "
            f"{cluster_id} of this stage. {REMEDY}"
        )
    if found.get(KEYS[metadata]) != str(node_id):
        return (
            f"{host}: its Kafka data belongs to the broker {found.get(KEYS[metadata])}, not to "
            f"{node_id}. {REMEDY}"
        )
    return None


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "path": {"type": "path", "required": True},
            "metadata": {"type": "str", "choices": ["kraft", "zookeeper"], "required": True},
            "cluster_id": {"type": "str", "required": True},
            "node_id": {"type": "int", "required": True},
            "host": {"type": "str", "required": True},
        },
        supports_check_mode=True,
    )
    wanted = dict(module.params)
    known = os.path.join(wanted.pop("path"), "meta.properties")
    if os.path.exists(known):
        with open(known) as file:
            found = parse_properties(file.read())
        if sentence := refusal(found, **wanted):
            module.fail_json(msg=sentence)
    module.exit_json(changed=False)


if __name__ == "__main__":
    main()
