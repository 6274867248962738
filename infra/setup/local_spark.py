"""Spark on this machine, without a cluster: the hosts' own Python environment and jars."""

import os
from pathlib import Path

from infra.setup.hosts_python import INTERPRETER, SITE_PACKAGES, hosts_python
from infra.setup.jars import components, jars
from jobs.build import JOBS

REPO = Path(__file__).resolve().parents[2]


def site_packages() -> Path:
    return hosts_python() / SITE_PACKAGES


def environment() -> dict[str, str]:
    """For a process that starts Spark, and for the Python processes that Spark starts."""
    site = site_packages()
    return {
        "SPARK_HOME": str(site / "pyspark"),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": INTERPRETER,
        "PYTHONPATH": os.pathsep.join(map(str, (JOBS, REPO, site))),
    }


def connectors() -> str:
    """The jars that Spark needs besides its own, as a class path."""
    (found,) = (jars(one) for one in components() if one.name.startswith("spark-connectors"))
    return f"{found / 'lib'}/*"
