import pytest
from rendering import load

topics = load("library/kafka_topics.py")
WANT = topics.Topic("input.a", 6, 3, {"retention.ms": "60000", "cleanup.policy": "delete"})


def found(**changes):
    return {"input.a": topics.Topic(**(vars(WANT) | changes)), "other": topics.Topic("other", 1, 1)}


def test_nothing_is_done_where_all_is_as_declared():
    assert topics.plan([WANT], found()) == topics.Plan()


def test_a_missing_topic_is_created():
    plan = topics.plan([WANT], {})
    assert plan.create == [WANT]
    assert plan.actions == ["create input.a with 6 partitions"]


def test_partitions_are_added():
    plan = topics.plan([WANT], found(partitions=4))
    assert plan.grow == [WANT]
    assert plan.actions == ["grow input.a from 4 to 6 partitions"]


def test_only_settings_that_differ_are_altered():
    plan = topics.plan([WANT], found(config=WANT.config | {"retention.ms": "1", "segment.ms": "9"}))
    assert plan.alter == {"input.a": {"retention.ms": "60000"}}
    assert plan.actions == ["set retention.ms of input.a from 1 to 60000"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"partitions": 8}, ["input.a", "has 8 partitions", "wants 6", "at least 8"]),
        ({"replication": 2}, ["input.a", "has 2 replicas", "wants 3"]),
    ],
)
def test_what_cannot_be_done_in_place_is_refused_in_a_sentence(changes, words):
    plan = topics.plan([WANT], found(**changes))
    assert plan.actions == []
    assert all(word in plan.refusals[0] for word in words)


def test_a_topic_is_there_when_every_partition_has_a_leader():
    def described(*leaders):
        partitions = [{"error_code": 0, "leader_id": leader} for leader in leaders]
        return [{"name": "input.a", "partitions": partitions}]

    assert topics.without_leader(described(1, 2, 3, 1, 2, 3), [WANT]) == []
    assert topics.without_leader(described(1, 2, 3, 1, 2, -1), [WANT]) == ["input.a"]
    assert topics.without_leader([], [WANT]) == ["input.a"]
