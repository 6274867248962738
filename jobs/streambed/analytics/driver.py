"""Runs the jobs of an application and keeps them as they are wanted to be.

What is wanted comes from two places: the configuration file, which a deploy changes, and ZooKeeper,
where operators say stop, start, restart and reset. Each job is looked at by itself every second:
one whose code or settings changed is restarted from its checkpoint and the others go on; one that
cannot take its checkpoint up is left running as it was, with a sentence that says why.
"""

import logging
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streambed.analytics import settings as files
from streambed.analytics import wanted
from streambed.analytics.bucket import Bucket
from streambed.analytics.checkpoint import Fenced
from streambed.analytics.lag import Ends, ends_in_kafka
from streambed.analytics.running import Running
from streambed.analytics.settings import JobSettings
from streambed.analytics.spark import session
from streambed.analytics.status import Status
from streambed.analytics.wanted import Wanted
from streambed.options import OptionError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0
FENCED_EXIT_CODE = 75


class Driver:
    def __init__(self, config: Path, spark: "SparkSession", zookeeper: Any) -> None:
        self._config = config
        self._spark = spark
        self._zookeeper = zookeeper
        self._settings = files.load(config)
        self._modified = config.stat().st_mtime_ns
        self._bucket = Bucket(**self._settings.bucket)
        self.jobs: dict[str, Running] = {}
        self.status = Status(self, Ends(ends_in_kafka(self._settings.bootstrap)))

    def run(self, stop: threading.Event) -> None:
        self.status.serve(self._settings.metrics_port, self._settings.address)
        while not stop.is_set():
            self._read_settings()
            self._reconcile()
            stop.wait(LOOK_EVERY_S)
        log.info("Stopping: every job finishes its batch.")
        self._stop_all()

    def _read_settings(self) -> None:
        """Take changed jobs up. A configuration that is wrong is told of and left alone; what is
        changed besides jobs needs another driver, and so do jobs that were changed with it."""
        try:
            modified = self._config.stat().st_mtime_ns
            if modified == self._modified:
                return
            self._modified = modified
            changed = files.load(self._config)
        except (OptionError, OSError) as error:
            log.error("The configuration is left as it was: %s", error)
            return
        if self._settings.differs_in_jobs_alone(changed):
            self._settings = changed
        else:
            log.info("The configuration needs another driver; this one goes on as it was.")

    def _reconcile(self) -> None:
        entries = {entry.name: entry for entry in self._settings.jobs}
        for name in [name for name in self.jobs if name not in entries]:
            log.info("%s: no longer in the stage, ended.", name)
            self.jobs.pop(name).stop()
        for name, entry in entries.items():
            try:
                self._reconcile_job(entry, wanted.read(self._zookeeper, name))
            except Fenced as error:
                log.error("%s", error)
                os._exit(FENCED_EXIT_CODE)  # at once: somebody else is the driver

    def _reconcile_job(self, entry: JobSettings, want: Wanted) -> None:
        job = self.jobs.get(entry.name)
        if job is None:
            job = self.jobs[entry.name] = Running(entry, want, self._settings, self._bucket)
        job.watch()
        if want.resets > job.seen.resets:
            job.reset()
        if entry != job.entry and job.may_change_to(entry):
            job.stop()
            job.entry = entry
        if want.restarts > job.seen.restarts or want.state == "stopped":
            job.stop()
        job.seen = want
        if want.state == "running" and job.may_start():
            job.start(self._spark)
        elif want.state == "stopped":
            job.state = "stopped"

    def _stop_all(self) -> None:
        stopping = [threading.Thread(target=job.stop) for job in self.jobs.values()]
        for thread in stopping:
            thread.start()
        for thread in stopping:
            thread.join()


def drive(config: Path, stop: threading.Event) -> int:
    """What spark-submit runs."""
    from kazoo.client import KazooClient

    began = time.monotonic()
    settings = files.load(config)
    for entry in settings.jobs:
        entry.make()  # what cannot work is told before anything is started
    spark = session(settings.application)
    zookeeper = KazooClient(settings.zookeeper, timeout=5.0)
    zookeeper.start(timeout=15)
    log.info("Driving %s after %.1f s.", settings.application, time.monotonic() - began)
    try:
        Driver(config, spark, zookeeper).run(stop)
    finally:
        zookeeper.stop()
        spark.stop()
    return 0
