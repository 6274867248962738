"""Ansible's view of a deployed stage: its stage file joined with the outputs of its stacks.

The inventory source is the stage file itself: `ansible-inventory -i inventories/local.yml --graph`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ansible.errors import AnsibleParserError
from ansible.plugins.inventory import BaseInventoryPlugin

REPO = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPO))

from infra import ssh, stacks, stage
from infra.setup.package import job_files, package
from infra.topology import Host, Topology

DOCUMENTATION = """
name: streambed
short_description: The hosts of a deployed Streambed stage
description:
  - Reads a stage file and the outputs of the stage's stacks.
  - Groups hosts by role, by zone (C(zone_a)) and by host group (C(group_kafka)).
options: {}
"""


class InventoryModule(BaseInventoryPlugin):
    NAME = "streambed"

    def verify_file(self, path: str) -> bool:
        file = Path(path).resolve()
        return file.suffix == ".yml" and file.parent == stage.folder()

    def parse(self, inventory, loader, path, cache=True):
        super().parse(inventory, loader, path, cache)
        try:
            model = stage.load(Path(path).stem)
        except stage.StageError as error:
            raise AnsibleParserError(str(error)) from error
        topology = stacks.Stacks(model).topology()
        if topology is None:
            raise AnsibleParserError(
                f"The stage {model.name} has no cluster: run `make deploy STAGE={model.name}`."
            )
        for host in topology.hosts:
            self._add(host, topology)
        self._tell_all(model, topology)

    def _add(self, host: Host, topology: Topology) -> None:
        self.inventory.add_host(host.name)
        for group in (*host.roles, f"zone_{host.zone}", f"group_{host.group}"):
            group = group.replace("-", "_")
            self.inventory.add_group(group)
            self.inventory.add_child(group, host.name)
        for name, value in {
            "ansible_host": host.address,
            "ansible_user": topology.ssh.user,
            "ansible_ssh_private_key_file": str(topology.ssh.private_key),
            "ansible_ssh_common_args": ssh.arguments(topology, host),
            "ansible_python_interpreter": "/usr/bin/python3",
            "streambed_host": host.model_dump(mode="json"),
        }.items():
            self.inventory.set_variable(host.name, name, value)

    def _tell_all(self, model: stage.Stage, topology: Topology) -> None:
        bucket = topology.bucket and topology.bucket.model_dump(mode="json")
        for name, value in {
            "streambed_stage": model.model_dump(mode="json"),
            "streambed_hosts": [host.model_dump(mode="json") for host in topology.hosts],
            "streambed_cluster_id": topology.cluster_id,
            "streambed_bucket": bucket,
            "streambed_applications": model.applications(),
            "streambed_package": package(),
            "streambed_job_files": job_files(model),
        }.items():
            self.inventory.set_variable("all", name, value)
