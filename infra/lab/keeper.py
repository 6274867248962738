"""The process behind a running host: boots it, and boots it again when it reboots itself.

Started detached by `machine.start`, it outlives the command that made it. A host that powers off,
or whose plug is pulled, stays off.
"""

from __future__ import annotations

import os
import subprocess
import sys

from infra.lab import cgroups

# What systemd-nspawn exits with when the host asked for a reboot.
REBOOT = 133


def keep(group: str, command: list[str]) -> int:
    cgroups.enter(f"{group}/keeper")
    environment = os.environ | {
        "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1",
        "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "network",
    }
    while True:
        code = subprocess.run(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            preexec_fn=lambda: cgroups.enter(f"{group}/machine"),
        ).returncode
        if code != REBOOT:
            return code


if __name__ == "__main__":
    sys.exit(keep(sys.argv[1], sys.argv[2:]))
