"""Analytics on Spark: jobs that say what they want, and the base that does the rest.

    Kafka ─► decode (Arrow) ─► state, by vehicle group ─► the job's query ─► encode ─► Kafka
                                 │ RocksDB, checkpoints on the bucket
                                 └ late records ─► analytics.late

`job.py` is what a job declares; `windows.py` and `ordered.py` are the two kinds of state, as plain
Python without Spark; `query.py` puts a job together; `driver.py` runs several of them in one Spark
application; `launcher.py` sees to it that only one host does.
"""

from streambed.analytics.job import Copy, OrderedJob, SqlJob, WindowJob
from streambed.analytics.windows import Every, Newest

__all__ = ["Copy", "Every", "Newest", "OrderedJob", "SqlJob", "WindowJob"]
