"""The process that the Python workers of an executor are forked from, with what they need imported.

Each of them by itself would import for half a second of a processor, and keep 100 MiB that all of
them can share. Spark imports after the fork for fear of threads, which a fork does not bring along:
the two libraries that start some are told not to, and with one left the fork would not be taken.
"""

import os
from importlib import import_module

os.environ |= {
    "JE_ARROW_MALLOC_CONF": "background_thread:false",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}

from pyspark.daemon import manager

WARM = (
    *("pyspark.worker", "pandas", "pyarrow.compute", "h3"),
    *(f"google.protobuf.{name}" for name in ("any_pb2", "json_format", "struct_pb2")),
)
for name in WARM:
    import_module(name)

if __name__ == "__main__":
    if threads := len(os.listdir("/proc/self/task")) - 1:
        raise SystemExit(f"{threads} threads besides the main one: this process must not fork.")
    manager()
