"""Do independent pieces of set-up work at the same time, and fail together."""

from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any

from infra.setup.errors import Stopped
from infra.setup.run import stop_all


def side_by_side(**tasks: Callable[[], Any]) -> dict[str, Any]:
    """Run all `tasks`, each in a thread, and return their results under the same names.

    The first failure stops the programs of the others, so that nobody waits minutes for work
    that is of no use, and is the one that is raised.
    """
    with ThreadPoolExecutor(len(tasks)) as pool:
        futures = {name: pool.submit(task) for name, task in tasks.items()}
        try:
            wait(futures.values(), return_when=FIRST_EXCEPTION)
        except BaseException:  # Ctrl-C: the programs are in sessions of their own and missed it
            stop_all()
            raise
        if any(future.done() and future.exception() for future in futures.values()):
            stop_all()
    failures = [future.exception() for future in futures.values() if future.exception()]
    # Of a failure and the stops that it caused, the failure is the one to read.
    for failure in sorted(failures, key=lambda each: isinstance(each, Stopped)):
        raise failure
    return {name: future.result() for name, future in futures.items()}
