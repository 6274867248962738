"""One job of a driver: started, watched, stopped, begun anew."""

import logging
import sys
import time
from typing import TYPE_CHECKING, Any

from streambed.analytics.bucket import Bucket
from streambed.analytics.checkpoint import Checkpoint, Fenced, Incompatible
from streambed.analytics.query import JobQuery, Setting
from streambed.analytics.settings import JobSettings, Settings
from streambed.analytics.wanted import Wanted
from streambed.options import OptionError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

# A batch that fails is tried again by whoever starts the query anew, and less and less often.
RETRY_S = (1.0, 2.0, 5.0, 10.0, 30.0)
FINISH_BATCH_S = 20.0


class Running:
    def __init__(self, entry: JobSettings, seen: Wanted, settings: Settings, bucket: Bucket):
        self.entry = entry
        self.seen = seen
        self.state = "starting"
        self.sentence = ""
        self.since = time.time()
        self.query: Any = None
        self.job_query: JobQuery | None = None
        self._settings = settings
        self._bucket = bucket
        self._checkpoint = Checkpoint(bucket, entry.name)
        self._failures = 0
        self._retry_at = 0.0

    def may_start(self) -> bool:
        return self.query is None and time.monotonic() >= self._retry_at

    def start(self, spark: "SparkSession") -> None:
        from pyspark import cloudpickle

        try:
            job = self.entry.make()
            self._checkpoint.take(
                job.contract(), job.options(), groups=self._settings.shuffle_partitions
            )
        except (OptionError, Incompatible) as error:
            self._tell("refused", str(error), retry_in=RETRY_S[-1])
            return
        except Fenced:
            raise
        except Exception as error:  # the bucket is away: it will be back
            self._fail(error)
            return
        # The job's own code travels with its query, so that executors need not know its file.
        cloudpickle.register_pickle_by_value(sys.modules[type(job).__module__])
        tables = getattr(job, "tables", lambda bucket: None)(self._bucket)
        settings = self._settings
        self.job_query = JobQuery(
            job,
            Setting(settings.bootstrap, settings.wire, settings.shuffle_partitions),
            self._checkpoint,
            trigger=self.entry.trigger,
            guarantee=self.entry.guarantee,
            tables=tables,
        )
        spark.sparkContext.setLocalProperty("spark.scheduler.pool", self.entry.name)
        try:
            self.query = self.job_query.start(spark)
        except Exception as error:
            self._fail(error)
            return
        log.info("%s: started, generation %d.", self.entry.name, self.generation)
        if self.state != "failed":  # which it is until a batch has succeeded
            self._tell("starting", "")

    def watch(self) -> None:
        """Note that the query has completed a batch, or that it has ended by itself."""
        if self.query is None:
            return
        if self.query.isActive:
            if self.state != "running" and self.query.lastProgress is not None:
                self._failures = 0
                self._tell("running", "")
            return
        error, self.query = self.query.exception(), None
        if "Fenced" in str(error):
            raise Fenced(f"{self.entry.name}: another driver has taken over the checkpoint.")
        self._fail(error)

    def may_change_to(self, entry: JobSettings) -> bool:
        """Whether the job would go on from its checkpoint with this entry."""
        try:
            self._checkpoint.check(entry.make().contract())
        except (OptionError, Incompatible) as error:
            if self.sentence != str(error):
                log.error("The change is refused, the job goes on as it was: %s", error)
                self.sentence = str(error)
            return False
        return True

    def reset(self) -> None:
        self.stop()
        self._checkpoint.begin_anew()
        log.info("%s: begins anew, generation %d.", self.entry.name, self.generation)

    def stop(self) -> None:
        """Between two batches where that is soon; in the middle of one nothing is lost either."""
        query, self.query = self.query, None
        if query is None:
            return
        deadline = time.monotonic() + FINISH_BATCH_S
        while query.isActive and time.monotonic() < deadline:
            if not query.status["isTriggerActive"]:
                break
            time.sleep(0.05)
        query.stop()
        log.info("%s: stopped.", self.entry.name)
        self._tell("stopped", "")

    @property
    def generation(self) -> int:
        return self._checkpoint.head.generation

    def _fail(self, error: Any) -> None:
        wait = RETRY_S[min(self._failures, len(RETRY_S) - 1)]
        self._failures += 1
        log.error("%s: failed, next try in %.0f s: %s", self.entry.name, wait, error)
        first_line = str(error).strip().splitlines()[0] if str(error).strip() else repr(error)
        self._tell("failed", first_line[:500], retry_in=wait)

    def _tell(self, state: str, sentence: str, *, retry_in: float = 0.0) -> None:
        self.state, self.sentence, self.since = state, sentence, time.time()
        self._retry_at = time.monotonic() + retry_in
