"""What the oracle needs of the bucket: the names of objects, and their content."""

from typing import Protocol

import boto3
from botocore.exceptions import ClientError


class Objects(Protocol):
    def names(self, prefix: str) -> list[str]:
        """The full names of all objects that begin with the prefix."""

    def content(self, name: str) -> bytes | None:
        """What is in the object; None when there is no such object."""


class BucketObjects:
    """A bucket as AWS_* and the arguments tell it; on AWS the endpoint is None."""

    def __init__(self, bucket: str, *, endpoint: str | None, region: str | None) -> None:
        self._bucket = bucket
        self._s3 = boto3.client("s3", endpoint_url=endpoint, region_name=region)

    def names(self, prefix: str) -> list[str]:
        pages = self._s3.get_paginator("list_objects_v2").paginate(
            Bucket=self._bucket, Prefix=prefix
        )
        return [entry["Key"] for page in pages for entry in page.get("Contents", ())]

    def content(self, name: str) -> bytes | None:
        try:
            return self._s3.get_object(Bucket=self._bucket, Key=name)["Body"].read()
        except ClientError as error:
            if error.response["Error"]["Code"] in ("NoSuchKey", "404"):
                return None
            raise
