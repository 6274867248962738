"""What must hold between the keys of a stage file, one function a rule.

A rule yields (key, sentence) for everything that breaks it. They run once every key is valid by
itself, and all of them run, so that a file is mended in one go.
"""

from __future__ import annotations

import ipaddress
import math
from collections import Counter
from collections.abc import Iterator

from infra import ingestion, jobs
from infra.duration import words
from infra.stage import (
    EXECUTOR_MIB,
    KAFKA_VERSIONS,
    MEMORY_MIB,
    ROLES,
    STATEFUL,
    WORKER_OFFERS,
    WORKER_OWN_MIB,
    Stage,
)

Broken = Iterator[tuple[str, str]]

# RFC 2544 set this range aside for tests: it meets no office, home or cloud network.
LAB_RANGE = ipaddress.ip_network("198.18.0.0/15")


def broken_by(stage: Stage) -> Broken:
    for rule in RULES:
        yield from rule(stage)


def names_are_unique(stage: Stage) -> Broken:
    for key, names in (
        ("hosts", [group.name for group in stage.hosts]),
        ("topics", [topic.name for topic in stage.topics]),
        ("ingest", [entry.name for entry in stage.ingest]),
        ("jobs", [job.name for job in stage.jobs]),
        ("zones", list(stage.zones)),
    ):
        for name in _twice(names):
            yield key, f"the name {name!r} stands twice; give each its own."


def topic_names_do_not_collide_in_metrics(stage: Stage) -> Broken:
    # Kafka's metric names turn both '.' and '_' into '_', and it refuses the second such topic.
    folded = {name: name.replace(".", "_") for name in {topic.name for topic in stage.topics}}
    for fold in _twice(list(folded.values())):
        pair = sorted(name for name, value in folded.items() if value == fold)
        yield "topics", f"{' and '.join(pair)} differ only in '.' and '_'; rename one."


def numbers_are_unique_within_a_role(stage: Stage) -> Broken:
    for role in ROLES:
        numbers = [identity.number for identity in stage.with_role(role)]
        if twice := _twice(numbers):
            yield (
                "hosts",
                f"two hosts with the role {role} have the number {twice[0]}, and ids come from "
                "numbers; give one group a higher `first`.",
            )


def a_group_has_each_role_once(stage: Stage) -> Broken:
    for group in stage.hosts:
        for role in _twice(list(group.roles)):
            yield f"hosts.{group.name}.roles", f"{role} stands twice; name each role once."


def stateful_roles_have_a_data_volume(stage: Stage) -> Broken:
    for group in stage.hosts:
        keeping = sorted(STATEFUL.intersection(group.roles))
        if keeping and group.data_gib is None:
            yield (
                f"hosts.{group.name}.data_gib",
                f"{' and '.join(keeping)} keep data, so give the size of the volume in GiB.",
            )


def a_host_holds_its_roles(stage: Stage) -> Broken:
    # Any host may come to drive every application at once.
    processes = {"job": max(1, len(stage.applications()))}
    for group in stage.hosts:
        least = sum(MEMORY_MIB[role] * processes.get(role, 1) for role in group.roles)
        if group.memory_mib < least:
            yield (
                f"hosts.{group.name}.memory_mib",
                f"{' + '.join(group.roles)} need at least {least}; found {group.memory_mib}.",
            )


def zookeeper_has_an_odd_count(stage: Stage) -> Broken:
    count = len(stage.with_role("zookeeper"))
    if count and count % 2 == 0:
        yield (
            "hosts",
            f"the role zookeeper needs an odd number of hosts, as {count} survive no more "
            f"failures than {count - 1}; found {count}.",
        )


def zookeeper_is_there_for_those_who_need_it(stage: Stage) -> Broken:
    if stage.with_role("zookeeper"):
        return
    if stage.with_role("spark_master"):
        yield "hosts", "spark_master needs hosts with the role zookeeper; add it to a group."
    if stage.with_role("kafka") and stage.kafka.metadata == "zookeeper":
        yield "hosts", "kafka.metadata zookeeper needs hosts with the role zookeeper; add it."


def a_lab_fits_its_network(stage: Stage) -> Broken:
    count = len(stage.identities())
    if stage.provider == "lab" and count > 200:
        yield "hosts", f"a lab holds at most 200 hosts, as its network is a /24; found {count}."


def masters_and_workers_come_together(stage: Stage) -> Broken:
    if stage.with_role("spark_worker") and not stage.with_role("spark_master"):
        yield "hosts", "spark_worker needs at least one host with the role spark_master; add it."


def a_lab_has_one_object_store(stage: Stage) -> Broken:
    count = len(stage.with_role("object_store"))
    if stage.provider == "lab" and (count > 1 or (count == 0 and stage.with_role("spark_master"))):
        yield "hosts", f"Spark on a lab needs exactly one object_store host; found {count}."


def metadata_fits_the_kafka_version(stage: Stage) -> Broken:
    allowed = KAFKA_VERSIONS[stage.kafka.metadata]
    if stage.kafka.version not in allowed:
        yield (
            "kafka.version",
            f"metadata {stage.kafka.metadata} runs on {', '.join(allowed)}; "
            f"found {stage.kafka.version}.",
        )


def replication_fits_the_brokers(stage: Stage) -> Broken:
    brokers = len(stage.with_role("kafka"))
    kafka = stage.kafka
    if not brokers:
        if stage.topics:
            yield "topics", "topics need at least one host with the role kafka; add it."
        return
    if kafka.replication_factor > brokers:
        yield (
            "kafka.replication_factor",
            f"at most the number of brokers, {brokers}; found {kafka.replication_factor}.",
        )
    if kafka.min_insync_replicas >= max(kafka.replication_factor, 2):
        yield (
            "kafka.min_insync_replicas",
            f"must be below replication_factor ({kafka.replication_factor}), or no broker could "
            f"restart without stopping writes; found {kafka.min_insync_replicas}.",
        )
    if kafka.metadata == "kraft" and (kafka.controllers % 2 == 0 or kafka.controllers > brokers):
        yield (
            "kafka.controllers",
            f"an odd number, at most the number of brokers, {brokers}; found {kafka.controllers}.",
        )


def retention_outlasts_checkpoint_and_outage(stage: Stage) -> Broken:
    needed = stage.checkpoint_interval + stage.outage_budget
    for topic in stage.topics:
        if topic.cleanup == "delete" and topic.retention <= needed:
            yield (
                f"topics.{topic.name}.retention",
                "must be longer than checkpoint_interval + outage_budget "
                f"({words(stage.checkpoint_interval)} + {words(stage.outage_budget)}), or records "
                f"are gone before a job that was down reads them; found {words(topic.retention)}.",
            )


def the_network_is_in_the_lab_range(stage: Stage) -> Broken:
    if stage.network is None:
        return
    example = "such as 198.18.7.0/24, or leave the key out and a free one is chosen"
    try:
        network = ipaddress.ip_network(stage.network)
    except ValueError:
        yield "network", f"a network {example}; found {stage.network!r}."
        return
    if network.version != 4 or network.prefixlen != 24 or not network.subnet_of(LAB_RANGE):
        yield "network", f"a /24 inside {LAB_RANGE}, {example}; found {stage.network}."


def ingestion_has_what_it_takes(stage: Stage) -> Broken:
    hosts = stage.with_role("ingest")
    if stage.ingest and not hosts:
        yield "ingest", "somebody has to run it; add the role ingest to a group of hosts."
    if hosts and not stage.ingest:
        yield "ingest", f"{hosts[0].name} has the role ingest and nothing to run; say what."
    if stage.ingest and not stage.with_role("kafka"):
        yield "ingest", "events need at least one host with the role kafka; add it."
    if ports := _twice([entry.metrics_port for entry in stage.ingest]):
        yield "ingest", f"two share the metrics_port {ports[0]}; give each its own."


def ingestions_name_connectors_and_options_that_exist(stage: Stage) -> Broken:
    for entry in stage.ingest:
        for kind, options in (("connector", entry.connector), ("processor", entry.processor)):
            own_broker = bool(stage.with_role("mqtt_broker"))
            if sentence := ingestion.complaint(kind, options, own_broker=own_broker):
                yield f"ingest.{entry.name}.{kind}", sentence


def events_have_their_topics(stage: Stage) -> Broken:
    declared = {topic.name for topic in stage.topics}
    for entry in stage.ingest:
        for topic in sorted(ingestion.topics(entry.processor) - declared):
            yield "topics", f"ingest.{entry.name} writes to {topic}, which is missing; add it."


def jobs_have_what_it_takes(stage: Stage) -> Broken:
    if not stage.jobs:
        return
    for role, why in (
        ("job", "somebody has to drive them"),
        ("spark_worker", "somebody has to execute them"),
        ("kafka", "they read from Kafka and write to it"),
        ("zookeeper", "it tells which host drives them"),
        ("object_store", "their checkpoints need a place"),
    ):
        if not stage.with_role(role):
            yield "jobs", f"{why}; add the role {role} to a group of hosts."


def jobs_and_their_options_exist(stage: Stage) -> Broken:
    for job in stage.jobs:
        if sentence := jobs.complaint(job):
            yield f"jobs.{job.name}", sentence


def jobs_have_their_topics(stage: Stage) -> Broken:
    declared = {topic.name for topic in stage.topics}
    for job in stage.jobs:
        inputs, outputs = jobs.topics(job)
        for does, names in (("reads", inputs), ("writes to", outputs)):
            for topic in sorted(names - declared):
                yield "topics", f"jobs.{job.name} {does} {topic}, which is missing; add it."


def workers_have_room_for_every_application(stage: Stage) -> Broken:
    """An executor for each, and one more: jobs that are tried by hand are to run beside them."""
    executors = len(stage.applications()) + 1
    if executors == 1:
        return
    least = math.ceil(WORKER_OWN_MIB + executors * EXECUTOR_MIB / WORKER_OFFERS)
    needed = f"an executor for each application of jobs and one to spare, {executors}"
    for group in stage.hosts:
        if "spark_worker" not in group.roles:
            continue
        if group.cores < executors:
            yield f"hosts.{group.name}.cores", f"{needed}, need a core each; found {group.cores}."
        if group.memory_mib < least:
            yield (
                f"hosts.{group.name}.memory_mib",
                f"{needed}, need at least {least}; found {group.memory_mib}.",
            )


def a_lab_has_at_most_one_mqtt_broker(stage: Stage) -> Broken:
    brokers = len(stage.with_role("mqtt_broker"))
    if brokers > 1:
        yield "hosts", f"at most one host with the role mqtt_broker; found {brokers}."
    if stage.with_role("fleet") and not brokers:
        yield "hosts", "the role fleet needs a host with the role mqtt_broker; add it."


def _twice(items: list) -> list:
    return sorted(item for item, count in Counter(items).items() if count > 1)


RULES = (
    names_are_unique,
    topic_names_do_not_collide_in_metrics,
    a_group_has_each_role_once,
    numbers_are_unique_within_a_role,
    stateful_roles_have_a_data_volume,
    a_host_holds_its_roles,
    zookeeper_has_an_odd_count,
    zookeeper_is_there_for_those_who_need_it,
    masters_and_workers_come_together,
    a_lab_has_one_object_store,
    a_lab_fits_its_network,
    metadata_fits_the_kafka_version,
    replication_fits_the_brokers,
    retention_outlasts_checkpoint_and_outage,
    the_network_is_in_the_lab_range,
    ingestion_has_what_it_takes,
    ingestions_name_connectors_and_options_that_exist,
    events_have_their_topics,
    jobs_have_what_it_takes,
    jobs_and_their_options_exist,
    jobs_have_their_topics,
    workers_have_room_for_every_application,
    a_lab_has_at_most_one_mqtt_broker,
)
