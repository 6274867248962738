"""`python -m infra <command>`: what the Makefile's targets call.

The stage and everything else a command needs comes from the environment, as make gives it.
Exit codes: 2 when what was asked for is wrong, and nothing was touched; 1 when it failed.
"""

from __future__ import annotations

import sys

from infra import context
from infra.commands import (
    bench,
    bench_ingest,
    bench_jobs,
    clean,
    deploy,
    destroy,
    jobs,
    oracle,
    plan,
    reach,
    recreate,
    size,
    skew,
    verify,
)
from infra.lab.command import LabError
from infra.operation import Busy
from infra.playbook import PlaybookError
from infra.setup.errors import SetupError
from infra.stacks import StackError
from infra.stage import StageError

COMMANDS = {
    "bench": bench.bench,
    "bench-ingest": bench_ingest.bench_ingest,
    "bench-jobs": bench_jobs.bench_jobs,
    "bench-latency": bench_jobs.bench_latency,
    "deploy": deploy.deploy,
    "destroy": destroy.destroy,
    "job-reset": jobs.reset,
    "job-restart": jobs.restart,
    "job-start": jobs.start,
    "job-stop": jobs.stop,
    "jobs": jobs.jobs,
    "logs": reach.logs,
    "oracle": oracle.oracle,
    "plan": plan.plan,
    "purge": destroy.purge,
    "recreate": recreate.recreate,
    "size": size.size,
    "skew": skew.skew,
    "ssh": reach.shell,
    "status": reach.status,
    "verify": verify.verify,
    "clean": clean.clean,
}

WRONG = (StageError, LabError, Busy, destroy.Refused, reach.NotThere, size.WrongRate)
FAILED = (SetupError, StackError, PlaybookError, verify.VerifyError, jobs.JobError)


def main() -> int:
    try:
        COMMANDS[sys.argv[1]](context.stage())
    except WRONG as error:
        print(error, file=sys.stderr)
        return 2
    except FAILED as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted; the same command again goes on from here.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
