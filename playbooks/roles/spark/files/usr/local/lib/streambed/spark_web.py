"""What health checks ask Spark's processes, which all answer in JSON on their web interfaces."""

import json
import re
import urllib.request
from pathlib import Path

DEFAULTS = Path("/etc/spark/spark-defaults.conf")
MASTER_PORT = 8080
WORKER_PORT = 8081


def addresses(defaults=None):
    """This host's address, and every master's."""
    text = defaults or DEFAULTS.read_text()
    own = re.search(r"^spark\.driver\.host\s+(\S+)$", text, re.MULTILINE).group(1)
    url = re.search(r"^spark\.master\s+spark://(\S+)$", text, re.MULTILINE).group(1)
    return own, [master.rpartition(":")[0] for master in url.split(",")]


def ask(address, port):
    """What a process tells of itself; nothing if it does not answer."""
    try:
        with urllib.request.urlopen(f"http://{address}:{port}/json/", timeout=3) as reply:
            return json.load(reply)
    except (OSError, ValueError):
        return {}
