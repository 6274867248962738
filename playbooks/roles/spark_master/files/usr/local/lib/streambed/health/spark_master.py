"""How this Spark master and its peers are."""

from spark_web import MASTER_PORT, addresses, ask


def judge(states):
    """The sentence about masters that are all well."""
    if sorted(states) != ["ALIVE"] + ["STANDBY"] * (len(states) - 1):
        raise RuntimeError(f"one master must be ALIVE and the others STANDBY, they are {states}")
    return f"one ALIVE, {len(states) - 1} STANDBY"


def judge_stop(others):
    """The sentence about masters that can spare this one."""
    ready = sum(state in ("ALIVE", "STANDBY") for state in others)
    if others and not ready:
        raise RuntimeError("no other master could take over")
    return f"{ready} other masters could take over"


def state(address):
    return ask(address, MASTER_PORT).get("status", "down")


def healthy():
    own, every = addresses()
    return f"{state(own)}; {judge([state(address) for address in every])}"


def may_stop():
    own, every = addresses()
    return judge_stop([state(address) for address in every if address != own])


def leads():
    own, _ = addresses()
    if (found := state(own)) != "ALIVE":
        raise RuntimeError(f"this master is {found}")
    return "this master is ALIVE"
