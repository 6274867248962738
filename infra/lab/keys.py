"""ssh keys: the one that opens the hosts, and the one by which each host is known.

Host keys belong to identities, not to hosts, so the list of known hosts stays true when a cluster
is recreated, and checking it is never switched off.
"""

from __future__ import annotations

import fcntl
from pathlib import Path

from infra.lab.command import run
from infra.lab.names import Lab


def make(file: Path, comment: str) -> str:
    """The public half of the key in that file, made if it is not there."""
    public = file.with_suffix(".pub") if not file.suffix else file.with_name(file.name + ".pub")
    if not (file.exists() and public.exists()):
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.unlink(missing_ok=True)
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", file)
    return " ".join(public.read_text().split()[:2])


def pin(lab: Lab, host: str, address: str, public: str) -> None:
    """Make the host's key the only one accepted for its name and its address."""
    _rewrite(lab, host, f"{host},{address} {public}")


def unpin(lab: Lab, host: str) -> None:
    if lab.known_hosts.exists():
        _rewrite(lab, host, None)


def _rewrite(lab: Lab, host: str, line: str | None) -> None:
    file = lab.known_hosts
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with file.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lines = file.read_text().splitlines() if file.exists() else []
        kept = [known for known in lines if known.split(",")[0] != host]
        fresh = file.with_suffix(".new")
        fresh.write_text("".join(f"{entry}\n" for entry in sorted(kept + ([line] if line else []))))
        fresh.replace(file)
