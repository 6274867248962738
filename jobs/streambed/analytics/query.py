"""A job put together as a streaming query: source, decoding, state, the job's own part, sink."""

import logging
import pickle
import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from streambed.analytics.checkpoint import Checkpoint
from streambed.analytics.decode import FUTURE, Decoder
from streambed.analytics.encode import RECORD_DDL, LateEncoder, ResultEncoder, version_of
from streambed.analytics.job import LATE_TOPIC, REAL_TIME, Copy, Job, SqlJob, WindowJob
from streambed.analytics.operator import NOTHING, OUTCOME_DDL, STATE_DDL, Operator, Outcome
from streambed.analytics.panes import Panes
from streambed.analytics.sink import Sending
from streambed.durations import to_ms
from streambed.events.codec import WireMode
from streambed.producer import make_producer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

log = logging.getLogger(__name__)

# Of replays: the query ends with the last record.
ALL_THERE_IS = "all there is"

# The wire mode in a record's headers, whatever else is among them; ingestion puts it first.
WIRE_SQL = """
    string(if(get(headers, 0).key = 'wire', get(headers, 0).value,
              get(filter(headers, h -> h.key = 'wire'), 0).value)) AS wire
"""


@dataclass(frozen=True)
class Setting:
    """Where a job runs."""

    bootstrap: str
    wire: WireMode
    tasks: int  # for reading and for state: how many can run at once
    prefix: str = ""  # of topics, for replays beside what runs


@dataclass
class Counts:
    """What a job has counted since it was started."""

    records: int = 0
    undecodable: int = 0
    late: int = 0
    vehicles: int = 0


class JobQuery:
    """A job that can be started, and what it tells of itself while it runs."""

    def __init__(
        self,
        job: Job,
        setting: Setting,
        checkpoint: Checkpoint,
        *,
        trigger: str | None = None,
        guarantee: str | None = None,
        tables: Any = None,
    ) -> None:
        self.job = job
        self.counts = Counts()
        self._setting = setting
        self._checkpoint = checkpoint
        self._trigger = trigger or job.trigger
        self._at_least_once = guarantee == "at-least-once"
        self._tables = tables
        self._producer = make_producer(setting.bootstrap)

    def start(self, spark: "SparkSession") -> "StreamingQuery":
        source = self._source(spark)
        if isinstance(self.job, Copy):
            writer = self._to_kafka(_copied(source, self._setting.prefix).writeStream)
        elif isinstance(self.job, SqlJob):
            writer = self._to_kafka(self._selected(source).writeStream)
        else:
            writer = self._stateful(source).writeStream.foreachBatch(self._batch)
        writer = (
            writer.queryName(self.job.name)
            .outputMode("update")
            .option("checkpointLocation", self._checkpoint.location)
        )
        if self._trigger == REAL_TIME:
            writer = writer.trigger(realTime="5 seconds")
        elif self._trigger == ALL_THERE_IS:
            writer = writer.trigger(availableNow=True)
        else:
            writer = writer.trigger(processingTime=f"{to_ms(self._trigger)} milliseconds")
        return writer.start()

    def _source(self, spark: "SparkSession") -> "DataFrame":
        reader = (
            spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", self._setting.bootstrap)
            .option("subscribe", self._setting.prefix + self.job.input)
            .option("startingOffsets", "earliest")
            .option("failOnDataLoss", "true")
            .option("includeHeaders", "true")
        )
        if self._trigger != REAL_TIME:  # which has no batches to bound
            reader = reader.option("maxOffsetsPerTrigger", self.job.most)
        # Tasks cost more than they gain where partitions hold little: a task reads several.
        return reader.load().coalesce(self._setting.tasks)

    def _decoded(self, source: "DataFrame", decoder: Decoder) -> "DataFrame":
        records = source.selectExpr("key", "value", "partition", "offset", WIRE_SQL)
        return records.mapInArrow(decoder, decoder.schema())

    def _selected(self, source: "DataFrame") -> "DataFrame":
        job = self.job
        decoder = Decoder(job.view, tuple(job.columns()))
        decoded = self._decoded(source, decoder).where(f"what != {FUTURE}")
        decoded.createOrReplaceTempView(job.view.name)
        results = decoded.sparkSession.sql(job.sql)
        return results.mapInArrow(self._result_encoder(version=0), RECORD_DDL)

    def _stateful(self, source: "DataFrame") -> "DataFrame":
        from pyspark.sql.streaming.state import GroupStateTimeout

        job = self.job
        decoder = Decoder(job.view, tuple(job.columns()), self._checkpoint.head.groups)
        expressions = job.expressions()
        wanted = (
            self._decoded(source, decoder)
            .withWatermark("event_time", f"{job.bound_ms} milliseconds")
            .where(f"what != 0 OR ({job.where})")
            .selectExpr(
                *("grp", "what", "id", "event_ms", "event_time", "origin"),
                *(f"({expression}) AS value_{name}" for name, expression in expressions.items()),
            )
        )
        whole_numbers = {name for name, kind in wanted.dtypes if kind in ("bigint", "int")}
        values = [f"value_{name}" for name in expressions]
        wanted = wanted.withColumns(
            {name: _or_nothing(wanted[name]) for name in values if name in whole_numbers}
        )
        types = dict(wanted.dtypes)
        self._rows = job.rows or ", ".join(
            [*(f"{name} {types[f'value_{name}']}" for name in expressions), *_flag(job)]
        )
        if isinstance(job, WindowJob):
            names = _names(self._rows)
            part = names.index(job.part) if job.part else None
            self._panes = Panes(lateness_ms=job.lateness_ms, part=part)
        operator = Operator(job.state(), tuple(values), listener=uuid.uuid4().hex)
        return wanted.groupBy("grp").applyInPandasWithState(
            operator, OUTCOME_DDL, STATE_DDL, "update", GroupStateTimeout.NoTimeout
        )

    def _batch(self, found: "DataFrame", batch: int) -> None:
        """Say what a batch found.

        Groups have counted for themselves, so what is left to be put together is small, whatever
        the number of vehicles: the driver collects it, asks the job's query, and writes.
        """
        self._checkpoint.hold()
        version = version_of(self._checkpoint.head.generation, batch)
        outcomes = [pickle.loads(packed) for packed in found.toArrow()["outcome"].to_pylist()]
        self._count(outcomes)
        results, encoder = self._results(found.sparkSession, outcomes, version)
        late = [record for outcome in outcomes for record in outcome.late]
        self._checkpoint.hold()
        with Sending(self._producer) as sending:
            prefix, wire = self._setting.prefix, self._setting.wire
            sending.send(prefix + self.job.output, results, encoder)
            late_encoder = LateEncoder(self.job.name, self.job.input, wire, version)
            sending.send(prefix + LATE_TOPIC, late, late_encoder)

    def _count(self, outcomes: list[Outcome]) -> None:
        counts = self.counts
        counts.records += sum(outcome.records for outcome in outcomes)
        counts.undecodable += sum(outcome.undecodable for outcome in outcomes)
        counts.vehicles = sum(outcome.vehicles for outcome in outcomes)
        counts.late += sum(len(outcome.late) for outcome in outcomes)

    def _results(
        self, spark: "SparkSession", outcomes: list[Outcome], version: int
    ) -> tuple[list[dict[str, Any]], ResultEncoder]:
        job = self.job
        encoder = self._result_encoder(version)
        if not isinstance(job, WindowJob):
            names = _names(self._rows)
            rows = [dict(zip(names, row)) for outcome in outcomes for row in outcome.rows]
            return rows, encoder
        watermark_ms = max((outcome.watermark_ms for outcome in outcomes), default=0)
        said = self._panes.put_together([one.panes for one in outcomes], watermark_ms)
        encoder = replace(encoder, size_ms=job.size_ms, kinds=said.kinds)
        return self._ask(spark, said.rows) if said.rows else [], encoder

    def _ask(self, spark: "SparkSession", rows: list[tuple]) -> list[dict[str, Any]]:
        """What the job's query says of rows of windows."""
        import pyarrow as pa
        from pyspark.sql.pandas.types import to_arrow_schema
        from pyspark.sql.types import StructType

        if self._tables is not None:
            self._tables.refresh(spark)
        schema = to_arrow_schema(StructType.fromDDL(f"end_ms bigint, {self._rows}, n bigint"))
        columns = [pa.array(column, field.type) for column, field in zip(zip(*rows), schema)]
        # In one piece, so that the query needs no shuffle.
        frame = spark.createDataFrame(pa.table(columns, schema=schema)).coalesce(1)
        window = "timestamp_millis(end_ms) AS window"
        found = self.job.query(frame.selectExpr(window, *_names(self._rows), "n"))
        return found.withColumn("window", _end_ms(found["window"])).toArrow().to_pylist()

    def _result_encoder(self, version: int) -> ResultEncoder:
        job = self.job
        return ResultEncoder(job.result, job.key, job.time, self._setting.wire, version)

    def _to_kafka(self, writer: Any) -> Any:
        writer = (
            writer.format("kafka")
            .option("kafka.bootstrap.servers", self._setting.bootstrap)
            .option("kafka.acks", "all")
            .option("kafka.enable.idempotence", "true")
            .option("kafka.compression.type", "zstd")
            .option("kafka.linger.ms", "5")
            .option("includeHeaders", "true")
            .option("topic", self._setting.prefix + self.job.output)
        )
        if self._at_least_once:
            writer = writer.option("asyncProgressTrackingEnabled", "true")
        return writer


def _copied(source: "DataFrame", prefix: str) -> "DataFrame":
    """Records as they are, each under a key of its own, with the version that every result has."""
    return source.selectExpr(
        f"binary(concat_ws('/', substr(topic, {len(prefix) + 1}), partition, offset)) AS key",
        "value",
        "concat(coalesce(headers, array()), array(named_struct('key', 'version',"
        " 'value', cast('0' AS binary)))) AS headers",
    )


def _names(columns: str) -> list[str]:
    """Of columns that are declared with their types."""
    return [column.split()[0] for column in columns.split(",")]


def _end_ms(window: Any) -> Any:
    from pyspark.sql import functions as f

    return f.unix_millis(window)


def _or_nothing(column: Any) -> Any:
    from pyspark.sql import functions as f

    return f.coalesce(column.cast("bigint"), f.lit(NOTHING))


def _flag(job: WindowJob) -> list[str]:
    from streambed.analytics.windows import Newest

    return ["newest boolean"] if isinstance(job.summary, Newest) else []
