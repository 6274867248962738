"""A job's whole query without Kafka: records from files, results into a list."""

import shutil
from pathlib import Path
from types import SimpleNamespace

from streambed.analytics.query import ALL_THERE_IS, JobQuery, Setting
from streambed.events import Event, StopEvent, VehiclePosition
from streambed.events.cells import fine_cell
from streambed.events.codec import decode, encode

START_MS = 1_800_000_000_000  # a multiple of every window's size


def event(
    second: float, details, *, vehicle: int = 1, ingested: float | None = None, wire="binary"
):
    """A record as Kafka has it."""
    record = Event()
    record.event_timestamp.FromMilliseconds(START_MS + round(second * 1000))
    late = second if ingested is None else ingested
    record.ingestion_timestamp.FromMilliseconds(START_MS + round(late * 1000))
    record.details.Pack(details)
    headers = [("wire", wire.encode())]
    return f"0012/{vehicle:05d}".encode(), encode(record, wire), headers


def position(latitude: float = 60.17, longitude: float = 24.94, **fields) -> VehiclePosition:
    cell = fine_cell(latitude, longitude)
    place = {"latitude": latitude, "longitude": longitude, "cell": cell}
    return VehiclePosition(operator=12, vehicle=1, mode="bus", route="1001", **place | fields)


def arrival(delay: int) -> StopEvent:
    return StopEvent(kind=StopEvent.ARRIVED, position=position(delay=delay))


class Producer:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.records: dict[str, dict[str, tuple]] = {}

    def produce(self, topic, value, key, headers, on_delivery) -> None:
        version = int(dict(headers)["version"])
        known = self.records.setdefault(topic, {}).get(key.decode())
        if known is None or known[0] <= version:
            decoded = decode(value, dict(headers)["wire"].decode())
            self.records[topic][key.decode()] = (version, decoded.details)

    def flush(self, _timeout) -> int:
        return 0


class Wired(JobQuery):
    """The query as it is, but for its two ends."""

    def __init__(self, job, directory: Path) -> None:
        location = (directory / "checkpoint").as_uri()
        checkpoint = SimpleNamespace(
            location=location, head=SimpleNamespace(generation=0, groups=2), hold=lambda: None
        )
        setting = Setting("127.0.0.1:1", "binary", 1)
        tables = getattr(job, "tables", lambda _: None)(SimpleNamespace(folders=lambda _: []))
        super().__init__(job, setting, checkpoint, trigger=ALL_THERE_IS, tables=tables)
        self._producer = Producer()
        self._directory = directory / "input"
        self._directory.mkdir()
        self._written = 0

    def give(self, spark, *records) -> None:
        """A batch of its own for each call."""
        rows = [
            (key, value, self.job.input, 0, self._written + place, headers)
            for place, (key, value, headers) in enumerate(records)
        ]
        self._written += len(rows)
        frame = spark.createDataFrame(rows, SCHEMA).coalesce(1)
        batch = self._directory.with_name(f"batch-{self._written}")
        frame.write.parquet(str(batch))
        for file in batch.glob("*.parquet"):
            shutil.move(file, self._directory / f"{self._written:06d}.parquet")

    def run(self, spark) -> dict[str, dict[str, tuple]]:
        import sys

        from pyspark import cloudpickle

        cloudpickle.register_pickle_by_value(sys.modules[type(self.job).__module__])
        query = self.start(spark)
        query.awaitTermination(120)
        assert query.exception() is None, query.exception()
        return {
            topic: {key: details for key, (_, details) in records.items()}
            for topic, records in self._producer.records.items()
        }

    def _source(self, spark):
        return (
            spark.readStream.schema(SCHEMA)
            .option("maxFilesPerTrigger", 1)
            .option("latestFirst", False)
            .parquet(str(self._directory))
        )


SCHEMA = (
    "key binary, value binary, topic string, partition int, offset bigint,"
    " headers array<struct<key: string, value: binary>>"
)
