"""Renders the playbooks' variables and templates as Ansible does, without a host."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import init_plugin_loader
from ansible.template import Templar, trust_as_template

PLAYBOOKS = Path(__file__).parents[3] / "playbooks"
GROUPS = [
    *("kafka", "zookeeper", "spark_master", "spark_worker", "object_store"),
    *("mqtt_broker", "ingest", "fleet", "job"),
]

init_plugin_loader()


def load(path: str) -> ModuleType:
    """A module of the playbooks, which are no package."""
    name = "playbooks." + path.removesuffix(".py").replace("/", ".")
    spec = importlib.util.spec_from_file_location(name, PLAYBOOKS / path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def identity(group: str, number: int, roles: list[str], **more) -> dict:
    plain = {"address": f"10.0.{len(group)}.{number}", "zone": "abc"[(number - 1) % 3]}
    size = {"memory_mib": 1152, "cores": 1, "data": {"device": "/dev/sdb", "uuid": f"u-{number}"}}
    return {"name": f"{group}-{number}", "group": group, "number": number, "roles": roles} | (
        plain | size | more
    )


HOSTS = [
    *(identity("kafka", n, ["kafka", "zookeeper"]) for n in (1, 2, 3, 4, 5)),
    *(identity("spark", n, ["spark_master", "job"], memory_mib=2176, data=None) for n in (1, 2, 3)),
    *(identity("worker", n, ["spark_worker"], memory_mib=3072, cores=3, data=None) for n in (1, 2)),
    *(identity("edge", n, ["ingest"], memory_mib=256, data=None) for n in (1, 2)),
    identity("store", 1, ["object_store", "mqtt_broker", "fleet"], memory_mib=448),
]


def job(name: str, **more) -> dict:
    plain = {"application": "analytics", "options": {}, "trigger": None, "guarantee": None}
    return {"name": name, "file": None} | plain | more


def stage(metadata: str) -> dict:
    return {
        "name": "local",
        "kafka": {
            "version": {"kraft": "4.3.1", "zookeeper": "3.9.2"}[metadata],
            "metadata": metadata,
            "replication_factor": 3,
            "min_insync_replicas": 2,
            "controllers": 3,
        },
        "zookeeper": {"version": "3.9.5", "max_session_timeout_ms": 5000},
        "spark": {"version": "4.2.0", "executors": None},
        "wire": "json",
        "ingest": [
            {
                "name": "hfp",
                "connector": {"name": "mqtt", "topics": ["/hfp/#"]},
                "processor": {"name": "hfp", "modes": ["bus"]},
                "metrics_port": 9110,
            }
        ],
        "fleet": {"vehicles": 100, "seed": 1},
        "jobs": [
            job("flow-direction", options={"bound": "5s"}),
            job("emergency-stop", application="alarms", trigger="2s"),
            job("pass-through"),
        ],
        "topics": [{"name": "t", "partitions": 6, "retention_ms": 60000, "cleanup": "compact"}],
    }


class Host:
    """One host of a stage, with the variables that its groups and roles give it."""

    def __init__(self, name: str, *, metadata: str = "kraft", **overrides) -> None:
        self.host = next(host for host in HOSTS if host["name"] == name)
        groups = [group for group in GROUPS if group in self.host["roles"]]
        roles = ["base", "spark", "package", *groups]
        files = [f"roles/{role}/{kind}/main.yml" for role in roles for kind in ("defaults", "vars")]
        files += [f"group_vars/{group}.yml" for group in ("all", *groups)]
        variables = {
            "streambed_host": self.host,
            "streambed_hosts": HOSTS,
            "streambed_stage": stage(metadata),
            "streambed_package": {
                **{"archive": "/a.zip", "digest": "d1"},
                **{"ingest": "d2", "jobs": "d3"},
            },
            "streambed_applications": ["analytics", "alarms"],
            "streambed_job_files": {
                name: {"path": f"/repo/{name}.py", "digest": f"of-{name}"}
                for name in ("flow-direction", "emergency-stop", "pass-through")
            },
            "streambed_cluster_id": "MkU3OEVBNTcwNTJENDM2Qk",
            "streambed_bucket": {
                "name": "streambed",
                "endpoint": "http://10.0.5.1:7070",
                "region": "eu-north-1",
                "access_key": "key",
                "secret_key": "secret",
            },
        }
        for file in filter(Path.exists, (PLAYBOOKS / name for name in files)):
            variables |= {k: _trusted(v) for k, v in yaml.safe_load(file.read_text()).items()}
        self.templar = Templar(DataLoader()).copy_with_new_env(
            searchpath=[str(PLAYBOOKS / "templates")], available_variables=variables | overrides
        )

    def variable(self, name: str):
        return self.templar.template(trust_as_template("{{ " + name + " }}"))

    def file(self, template: str) -> str:
        text = (PLAYBOOKS / "roles" / template).read_text()
        return self.templar.template(
            trust_as_template(text), escape_backslashes=False, overrides={"lstrip_blocks": True}
        )

    def properties(self, template: str, separator: str = "=") -> dict[str, str]:
        lines = [line for line in self.file(template).splitlines() if line and line[0] != "#"]
        return {key.strip(): value.strip() for key, value in (x.split(separator, 1) for x in lines)}


def _trusted(value):
    if isinstance(value, str):
        return trust_as_template(value)
    if isinstance(value, dict):
        return {key: _trusted(inner) for key, inner in value.items()}
    return [_trusted(inner) for inner in value] if isinstance(value, list) else value
