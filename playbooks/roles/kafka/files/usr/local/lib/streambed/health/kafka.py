"""How this Kafka broker and its cluster are, as any client can ask them."""

from contextlib import contextmanager
from pathlib import Path

CONFIG = Path("/etc/kafka/server.properties")
BROKERS = Path("/usr/local/share/streambed/kafka-brokers")

# A controller that follows fetches at least twice a second.
CAUGHT_UP_MS = 3000


def parse(text):
    lines = [line.strip() for line in text.splitlines()]
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def partitions(topics):
    for topic in topics:
        for partition in topic["partitions"]:
            yield f"{topic['name']}-{partition['partition_index']}", partition


def under_replicated(topics):
    return [
        name
        for name, partition in partitions(topics)
        if partition["leader_id"] < 0
        or len(partition["isr_nodes"]) < len(partition["replica_nodes"])
    ]


def below_minimum_without(broker, topics, minimum):
    """Partitions that would have too few replicas in sync if this broker stopped now. One that
    has too few replicas to ever spare a broker does not count, or nothing could be restarted."""
    return [
        name
        for name, partition in partitions(topics)
        if broker in partition["replica_nodes"]
        and len(set(partition["isr_nodes"]) - {broker})
        < min(minimum, len(partition["replica_nodes"]) - 1)
    ]


def caught_up_voters(quorum):
    """The controllers that keep up with the one that leads, by the clock of that one."""
    voters = {v["replica_id"]: v["last_caught_up_timestamp"] for v in quorum["current_voters"]}
    now = voters.get(quorum["leader_id"])
    if now is None:
        return set()
    return {voter for voter, seen in voters.items() if now - seen <= CAUGHT_UP_MS}


def judge_quorum(quorum):
    voters = {voter["replica_id"] for voter in quorum["current_voters"]}
    if behind := sorted(voters - caught_up_voters(quorum)):
        raise RuntimeError(f"the controllers {behind} do not keep up with {quorum['leader_id']}")
    return f"{len(voters)} controllers in step"


def judge_quorum_without(broker, quorum):
    voters = {voter["replica_id"] for voter in quorum["current_voters"]}
    left, needed = len(caught_up_voters(quorum) - {broker}), len(voters) // 2 + 1
    if len(voters) > 1 and left < needed:
        raise RuntimeError(f"only {left} other controllers are in step, and a quorum is {needed}")


class Cluster:
    def __init__(self, config, admin):
        self.broker = int(config.get("node.id") or config["broker.id"])
        self.minimum = int(config["min.insync.replicas"])
        self.cluster = admin.describe_cluster()
        self.topics = admin.describe_topics()
        self.quorum = None
        if "process.roles" in config:
            self.quorum = admin.describe_metadata_quorum()["topics"][0]["partitions"][0]

    @property
    def leader(self):
        return self.quorum["leader_id"] if self.quorum else self.cluster["controller_id"]


@contextmanager
def cluster(*, through_this_broker=False):
    from kafka.admin import KafkaAdminClient

    config = parse(CONFIG.read_text())
    servers = BROKERS.read_text().strip().split(",")
    if through_this_broker:
        servers = [config["advertised.listeners"].rpartition("/")[2]]
    admin = KafkaAdminClient(
        bootstrap_servers=servers,
        client_id="streambed-health",
        bootstrap_timeout_ms=5000,
        request_timeout_ms=10000,
    )
    try:
        yield Cluster(config, admin)
    finally:
        admin.close()


def healthy():
    with cluster(through_this_broker=True) as seen:
        brokers = {
            broker["broker_id"]
            for broker in seen.cluster["brokers"]
            if not broker.get("is_fenced", False)
        }
        if seen.broker not in brokers:
            raise RuntimeError(f"the broker {seen.broker} is not among the brokers {brokers}")
        if short := under_replicated(seen.topics):
            raise RuntimeError(f"{len(short)} partitions are under-replicated, as {short[0]}")
        quorum = judge_quorum(seen.quorum) if seen.quorum else f"controller {seen.leader}"
        return f"one of {len(brokers)} brokers; no partition under-replicated; {quorum}"


def may_stop():
    with cluster() as seen:
        if short := below_minimum_without(seen.broker, seen.topics, seen.minimum):
            raise RuntimeError(
                f"without this broker {len(short)} partitions would be below their minimum, "
                f"as {short[0]}"
            )
        if seen.quorum:
            judge_quorum_without(seen.broker, seen.quorum)
        return "the cluster can spare this broker"


def leads():
    with cluster() as seen:
        if seen.leader != seen.broker:
            raise RuntimeError(f"the controller is {seen.leader}")
        return "this broker is the controller"
