"""How Spark runs the jobs: what all of them need, whatever the size of the stage."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

# UTC, as an offset: Arrow looks its name up in a database, which a small host does not have.
TIME_ZONE = "+00:00"

SETTINGS = {
    "spark.sql.session.timeZone": TIME_ZONE,
    # State in RocksDB, of which each batch writes what changed; all stores share one memory.
    "spark.sql.streaming.stateStore.providerClass": ROCKSDB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.sql.streaming.stateStore.rocksdb.boundedMemoryUsage": "true",
    "spark.sql.streaming.stateStore.rocksdb.maxMemoryUsageMB": "64",
    # Enough to go back to, and few enough that looking through them costs nothing.
    "spark.sql.streaming.minBatchesToRetain": "20",
    # Windows speak in the batch that moves the watermark; there is nothing to do without records.
    "spark.sql.streaming.noDataMicroBatches.enabled": "false",
    # Not for streams, and said in a warning for each of them otherwise.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}


def session(application: str, **more: str) -> "SparkSession":
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName(application)
    for key, value in {**SETTINGS, **more}.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()
