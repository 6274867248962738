import sys

import pytest
from rendering import PLAYBOOKS, load

sys.path.append(str(PLAYBOOKS / "roles/spark/files/usr/local/lib/streambed"))


def health(role: str):
    return load(f"roles/{role}/files/usr/local/lib/streambed/health/{role}.py")


kafka, zookeeper = health("kafka"), health("zookeeper")
master, worker = health("spark_master"), health("spark_worker")


def partition(replicas, isr, leader=1):
    inner = {"partition_index": 0, "leader_id": leader, "replica_nodes": replicas, "isr_nodes": isr}
    return [{"name": "t", "partitions": [inner]}]


def quorum(*lags, leader=1):
    voters = [
        {"replica_id": i, "last_caught_up_timestamp": 100_000 - lag}
        for i, lag in enumerate(lags, 1)
    ]
    return {"leader_id": leader, "current_voters": voters}


class TestKafka:
    def test_a_partition_short_of_a_replica_or_a_leader_is_seen(self):
        assert kafka.under_replicated(partition([1, 2, 3], [1, 2, 3])) == []
        assert kafka.under_replicated(partition([1, 2, 3], [1, 2])) == ["t-0"]
        assert kafka.under_replicated(partition([1], [1], leader=-1)) == ["t-0"]

    @pytest.mark.parametrize(
        ("replicas", "isr", "spared"),
        [
            ([1, 2, 3], [1, 2, 3], True),
            ([1, 2, 3], [1, 2], False),
            ([1, 2, 3], [2, 3], True),
            ([2, 3, 4], [2], True),
            ([1], [1], True),
        ],
    )
    def test_a_broker_may_stop_while_enough_others_are_in_sync(self, replicas, isr, spared):
        assert (kafka.below_minimum_without(1, partition(replicas, isr), 2) == []) is spared

    def test_controllers_must_keep_up_with_the_one_that_leads(self):
        assert kafka.judge_quorum(quorum(0, 500, 900)) == "3 controllers in step"
        with pytest.raises(RuntimeError, match=r"\[3\] do not keep up with 1"):
            kafka.judge_quorum(quorum(0, 500, 9000))
        with pytest.raises(RuntimeError):
            kafka.judge_quorum(quorum(0, 0, 0, leader=-1))

    def test_a_controller_may_stop_while_the_others_are_a_quorum(self):
        kafka.judge_quorum_without(2, quorum(0, 500, 900))
        with pytest.raises(RuntimeError, match="a quorum is 2"):
            kafka.judge_quorum_without(2, quorum(0, 500, 9000))


class TestZooKeeper:
    leader = {"zk_server_state": "leader", "zk_synced_followers": "2"}
    follower = {"zk_server_state": "follower"}

    def test_an_ensemble_has_one_leader_and_followers_in_sync(self):
        answers = [self.follower, self.leader, self.follower]
        assert zookeeper.judge_ensemble(answers) == "one leader, 2 followers in sync"

    @pytest.mark.parametrize(
        "answers",
        [
            [follower, follower, follower],
            [leader, follower, {}],
            [leader | {"zk_synced_followers": "1"}, follower, follower],
        ],
    )
    def test_anything_else_is_unhealthy(self, answers):
        with pytest.raises(RuntimeError):
            zookeeper.judge_ensemble(answers)

    def test_a_node_may_stop_while_the_others_are_a_quorum(self):
        zookeeper.judge_stop([self.leader, self.follower], 3)
        with pytest.raises(RuntimeError, match="a quorum is 2"):
            zookeeper.judge_stop([self.leader, {}], 3)

    def test_nodes_are_read_from_the_configuration(self):
        config = (
            "clientPortAddress=10.0.0.2\nserver.1=10.0.0.1:2888:3888\nserver.2=10.0.0.2:2888:3888\n"
        )
        assert zookeeper.nodes(config) == ("10.0.0.2", ["10.0.0.1", "10.0.0.2"])


class TestSpark:
    def test_one_master_is_alive_and_the_others_stand_by(self):
        assert master.judge(["STANDBY", "ALIVE", "STANDBY"]) == "one ALIVE, 2 STANDBY"
        for states in (
            ["STANDBY"] * 3,
            ["ALIVE", "ALIVE", "STANDBY"],
            ["ALIVE", "STANDBY", "down"],
        ):
            with pytest.raises(RuntimeError):
                master.judge(states)

    def test_a_master_may_stop_while_another_could_take_over(self):
        master.judge_stop(["STANDBY", "down"])
        with pytest.raises(RuntimeError):
            master.judge_stop(["down", "down"])

    def test_a_worker_is_well_when_the_leading_master_knows_it(self):
        known = [{"host": "10.0.0.7", "state": "ALIVE"}, {"host": "10.0.0.8", "state": "DEAD"}]
        masters = [{}, {"status": "ALIVE", "url": "spark://m:7077", "workers": known}]
        assert worker.judge("10.0.0.7", masters) == "registered with spark://m:7077"
        with pytest.raises(RuntimeError, match="does not know"):
            worker.judge("10.0.0.8", masters)
        with pytest.raises(RuntimeError, match="no master"):
            worker.judge("10.0.0.7", [{}])

    def test_masters_are_read_from_the_configuration(self):
        defaults = "spark.master  spark://a:7077,b:7077\nspark.driver.host  c\n"
        assert worker.addresses(defaults) == ("c", ["a", "b"])
