"""A Spark of this machine's own, from the Python environment of the hosts: no cluster, no root."""

import os
import sys

import pytest

from infra.setup import local_spark
from jobs.build import generate_schema

generate_schema()
# Last, so that only what is missing here comes from there.
sys.path.append(str(local_spark.site_packages()))


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """Spark with the settings of the jobs; what it executes runs in the hosts' environment."""
    os.environ |= local_spark.environment()
    from streambed.analytics.spark import session

    running = session(
        "tests",
        **{
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.driver.extraClassPath": local_spark.connectors(),
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        },
    )
    running.sparkContext.setLogLevel("ERROR")
    yield running
    running.stop()
