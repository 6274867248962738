"""Where spark-submit begins, as it wants a file; the driver itself is in the package.

Spark's JVM is killed with its launcher, and this process with the JVM: nothing drives on alone.
"""

import ctypes
import runpy
import signal

PR_SET_PDEATHSIG = 1

ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
runpy.run_module("streambed.analytics", run_name="__main__", alter_sys=True)
