"""Run on the cluster: write to the bucket, read back through Python workers, and clean up."""

import sys

from pyspark.sql import SparkSession

place = sys.argv[1]
spark = SparkSession.builder.appName("probe").getOrCreate()
spark.range(0, 1000, 1, 2).write.parquet(place)
rows = spark.read.parquet(place)
# Through Arrow and back: the executors' Python environment is whole, too.
total = rows.mapInArrow(lambda batches: batches, rows.schema).groupBy().sum("id").first()[0]
path = spark._jvm.org.apache.hadoop.fs.Path(place)
path.getFileSystem(spark._jsc.hadoopConfiguration()).delete(path, True)
spark.stop()
print("PROBE", total)
