"""How this ZooKeeper node and its ensemble are, as the nodes themselves tell by `mntr`."""

import re
import socket
from pathlib import Path

CONFIG = Path("/etc/zookeeper/zoo.cfg")
SERVING = {"leader", "follower", "standalone"}


def nodes(config):
    """This node's address, and every node's."""
    own = re.search(r"^clientPortAddress=(\S+)$", config, re.MULTILINE).group(1)
    return own, re.findall(r"^server\.\d+=([^:]+):", config, re.MULTILINE)


def parse(mntr):
    return dict(line.split("\t", 1) for line in mntr.splitlines() if "\t" in line)


def judge_ensemble(answers):
    """The sentence about an ensemble where all is well, given every node's answers."""
    states = [answer.get("zk_server_state", "down") for answer in answers]
    if states == ["standalone"]:
        return "serves alone"
    leaders = [answer for answer in answers if answer.get("zk_server_state") == "leader"]
    if len(leaders) != 1 or not SERVING.issuperset(states):
        raise RuntimeError(f"the ensemble needs one leader and else followers, it has {states}")
    synced = int(float(leaders[0].get("zk_synced_followers", 0)))
    if synced < len(answers) - 1:
        raise RuntimeError(f"{synced} of {len(answers) - 1} followers are in sync with the leader")
    return f"one leader, {synced} followers in sync"


def judge_stop(others, ensemble):
    """The sentence about an ensemble that can spare this node, given the other nodes' answers."""
    serving = sum(answer.get("zk_server_state") in SERVING for answer in others)
    needed = ensemble // 2 + 1
    if ensemble > 1 and serving < needed:
        raise RuntimeError(f"only {serving} other nodes serve, and a quorum is {needed}")
    return f"{serving} other nodes serve, a quorum is {needed}"


def ask(address):
    port = int(re.search(r"^clientPort=(\d+)$", CONFIG.read_text(), re.MULTILINE).group(1))
    try:
        with socket.create_connection((address, port), timeout=3) as connection:
            connection.sendall(b"mntr")
            with connection.makefile(encoding="utf-8") as reply:
                return parse(reply.read())
    except OSError:
        return {}


def healthy():
    own, every = nodes(CONFIG.read_text())
    state = ask(own).get("zk_server_state")
    if state not in SERVING:
        raise RuntimeError(f"the node on {own} does not serve")
    return f"{state}; {judge_ensemble([ask(address) for address in every])}"


def may_stop():
    own, every = nodes(CONFIG.read_text())
    return judge_stop([ask(address) for address in every if address != own], len(every))


def leads():
    own, _ = nodes(CONFIG.read_text())
    if ask(own).get("zk_server_state") != "leader":
        raise RuntimeError("this node does not lead")
    return "this node leads the ensemble"
