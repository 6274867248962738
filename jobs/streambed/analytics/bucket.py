"""The bucket, as far as jobs use it besides Spark: small objects, and puts that may fail."""

from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

PATIENCE = Config(
    connect_timeout=3, read_timeout=10, retries={"mode": "standard", "max_attempts": 4}
)


class Changed(Exception):
    """Somebody else has written the object meanwhile."""


class Bucket:
    def __init__(
        self,
        *,
        name: str,
        region: str | None = None,
        endpoint: str | None = None,
        access_key: str | None = None,
        secret_key: str | None = None,
    ) -> None:
        self.name = name
        self._client: Any = boto3.client(
            "s3",
            region_name=region or None,
            endpoint_url=endpoint or None,
            aws_access_key_id=access_key or None,
            aws_secret_access_key=secret_key or None,
            config=PATIENCE,
        )

    def read(self, key: str) -> bytes:
        return self._client.get_object(Bucket=self.name, Key=key)["Body"].read()

    def read_tagged(self, key: str) -> tuple[bytes, str] | None:
        try:
            found = self._client.get_object(Bucket=self.name, Key=key)
        except ClientError as error:
            if _code(error) in ("NoSuchKey", "404"):
                return None
            raise
        return found["Body"].read(), found["ETag"]

    def tag(self, key: str) -> str | None:
        try:
            return self._client.head_object(Bucket=self.name, Key=key)["ETag"]
        except ClientError as error:
            if _code(error) in ("NoSuchKey", "404"):
                return None
            raise

    def put_if(self, key: str, content: bytes, tag: str | None) -> str:
        """Write an object only if it is what it was (or, without a tag, not there)."""
        condition = {"IfNoneMatch": "*"} if tag is None else {"IfMatch": tag}
        try:
            done = self._client.put_object(Bucket=self.name, Key=key, Body=content, **condition)
        except ClientError as error:
            if _code(error) in ("PreconditionFailed", "ConditionalRequestConflict", "412", "409"):
                raise Changed(key) from error
            raise
        return done["ETag"]

    def folders(self, prefix: str) -> list[str]:
        """Names right below a prefix."""
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self.name, Prefix=prefix, Delimiter="/"
        )
        found = [item["Prefix"] for page in pages for item in page.get("CommonPrefixes", [])]
        return [name.removeprefix(prefix).rstrip("/") for name in found]

    def remove_all(self, prefix: str) -> None:
        pages = self._client.get_paginator("list_objects_v2").paginate(
            Bucket=self.name, Prefix=prefix
        )
        for page in pages:
            keys = [{"Key": item["Key"]} for item in page.get("Contents", [])]
            if keys:
                self._client.delete_objects(Bucket=self.name, Delete={"Objects": keys})


def _code(error: ClientError) -> str:
    return error.response["Error"]["Code"]
