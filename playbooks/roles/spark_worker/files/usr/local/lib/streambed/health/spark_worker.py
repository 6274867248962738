"""How this Spark worker is, as it tells itself and as the leading master sees it."""

from spark_web import MASTER_PORT, WORKER_PORT, addresses, ask


def judge(own, masters):
    """The sentence about a worker that is well, given what the masters tell."""
    leading = next((master for master in masters if master.get("status") == "ALIVE"), None)
    if leading is None:
        raise RuntimeError("no master is ALIVE")
    if own not in {w["host"] for w in leading["workers"] if w["state"] == "ALIVE"}:
        raise RuntimeError("the leading master does not know this worker")
    return f"registered with {leading['url']}"


def healthy():
    own, masters = addresses()
    if not ask(own, WORKER_PORT):
        raise RuntimeError(f"the worker does not answer on {own}:{WORKER_PORT}")
    return judge(own, [ask(master, MASTER_PORT) for master in masters])


def may_stop():
    return "executors move to other workers, or wait for this one"


def leads():
    raise RuntimeError("workers have no leader")
