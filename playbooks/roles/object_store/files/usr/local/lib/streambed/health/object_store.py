"""How this object store is, as it tells itself."""

import re
import urllib.request
from pathlib import Path

ENVIRONMENT = Path("/etc/object-store/environment")


def healthy():
    address = re.search(r"^VGW_PORT=(\S+)$", ENVIRONMENT.read_text(), re.MULTILINE).group(1)
    with urllib.request.urlopen(f"http://{address}/health", timeout=3) as reply:
        return f"answers {reply.status} on {address}"


def may_stop():
    """There is one: clients wait for it and try again."""
    return "clients try again until it is back"


def leads():
    raise RuntimeError("there is nobody to lead")
