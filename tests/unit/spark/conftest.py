"""A Spark of this machine's own, from the Python environment of the hosts: no cluster, no root."""

import os
import sys
from pathlib import Path

import pytest

from infra.setup.hosts_python import INTERPRETER, SITE_PACKAGES, hosts_python
from infra.setup.jars import components, jars
from jobs.build import JOBS, generate_schema

generate_schema()


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """Spark with the settings of the jobs; what it executes runs in the hosts' environment."""
    site = hosts_python() / SITE_PACKAGES
    if str(site) not in sys.path:
        sys.path.append(str(site))  # last, so that only what is missing here comes from there
    (connectors,) = (jars(one) for one in components() if one.name.startswith("spark-connectors"))
    os.environ |= {
        "SPARK_HOME": str(site / "pyspark"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": INTERPRETER,
        "PYTHONPATH": os.pathsep.join([str(JOBS), str(Path(__file__).parents[3]), str(site)]),
    }
    from streambed.analytics.spark import session

    running = session(
        "tests",
        **{
            "spark.master": "local[2]",
            "spark.ui.enabled": "false",
            "spark.driver.extraClassPath": f"{connectors / 'lib'}/*",
            "spark.sql.shuffle.partitions": "2",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
            "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        },
    )
    running.sparkContext.setLogLevel("ERROR")
    yield running
    running.stop()
