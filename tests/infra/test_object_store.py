"""The lab's object store speaks S3 well enough to be trusted with checkpoints."""

import uuid

import boto3
import pytest
from botocore.exceptions import ClientError
from deployed import targets, topology

testinfra_hosts = targets("object_store")


@pytest.fixture(scope="module")
def s3():
    bucket = topology().bucket
    return boto3.client(
        "s3",
        endpoint_url=bucket.endpoint,
        region_name=bucket.region,
        aws_access_key_id=bucket.access_key,
        aws_secret_access_key=bucket.secret_key,
    )


@pytest.fixture
def key(s3):
    name = f"probe/{uuid.uuid4()}"
    yield name
    s3.delete_object(Bucket=topology().bucket.name, Key=name)


def test_it_listens_on_its_own_address_only(listening, me):
    assert f"{me.address}:7070" in listening


def test_the_bucket_of_the_stage_exists(s3, declared):
    assert declared.bucket in [bucket["Name"] for bucket in s3.list_buckets()["Buckets"]]


def test_an_object_is_read_back_as_it_was_written(s3, key):
    s3.put_object(Bucket=topology().bucket.name, Key=key, Body=b"kept")
    assert s3.get_object(Bucket=topology().bucket.name, Key=key)["Body"].read() == b"kept"


def test_only_the_first_of_two_conditional_writers_wins(s3, key):
    s3.put_object(Bucket=topology().bucket.name, Key=key, Body=b"first", IfNoneMatch="*")
    with pytest.raises(ClientError, match="PreconditionFailed"):
        s3.put_object(Bucket=topology().bucket.name, Key=key, Body=b"second", IfNoneMatch="*")


def test_nobody_reads_without_the_key(s3, declared):
    stranger = boto3.client(
        "s3",
        endpoint_url=topology().bucket.endpoint,
        region_name=topology().bucket.region,
        aws_access_key_id="stranger",
        aws_secret_access_key="wrong",
    )
    with pytest.raises(ClientError):
        stranger.list_objects_v2(Bucket=declared.bucket)


def test_objects_lie_on_the_data_volume(host):
    assert host.file("/var/lib/streambed/objects").is_directory
