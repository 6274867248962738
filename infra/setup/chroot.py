"""Run a command with a root file system made ready to be entered.

    python -m infra.setup.chroot <rootfs> <command> ...

What chroot programs need (/proc, /sys, /dev, name resolution, no services starting) is mounted
in a mount namespace of its own: it is gone with the last of the processes, however they end,
and the machine's own mounts never change. Processes are in a namespace of their own, too, so
that a daemon which a package dared to start dies with the command.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

NAMESPACES = ["unshare", "--mount", "--propagation", "private", "--pid", "--fork", "--kill-child"]

# The answer that Debian's packages accept for "may I start this service?".
POLICY_RC_D = "#!/bin/sh\nexit 101\n"


def in_chroot_of(rootfs: Path, command: list[str | Path]) -> list[str | Path]:
    """The command line that runs `command` with `rootfs` made ready."""
    return [*NAMESPACES, sys.executable, "-m", "infra.setup.chroot", rootfs, *command]


def main() -> None:
    rootfs, command = Path(sys.argv[1]), sys.argv[2:]
    # Programs outside the chroot look at processes as well, hence a /proc for both sides.
    _mount("-t", "proc", "proc", "/proc")
    _mount("-t", "proc", "proc", rootfs / "proc")
    _mount("-t", "sysfs", "-o", "ro", "sysfs", rootfs / "sys")
    _mount("--rbind", "/dev", rootfs / "dev")
    _mount("-t", "tmpfs", "tmpfs", rootfs / "run")

    _cover(rootfs / "etc/resolv.conf", Path("/etc/resolv.conf").read_text())
    _cover(rootfs / "usr/sbin/policy-rc.d", POLICY_RC_D, mode=0o755)
    os.execvp(command[0], command)


def _cover(path: Path, content: str, mode: int = 0o644) -> None:
    """Show `content` at `path`; what stays in the image is an empty file."""
    path.unlink(missing_ok=True)
    path.touch()
    with tempfile.NamedTemporaryFile("w") as cover:
        cover.write(content)
        cover.flush()
        os.chmod(cover.name, mode)
        _mount("--bind", cover.name, path)


def _mount(*words: str | Path) -> None:
    subprocess.run(["mount", *map(str, words)], check=True)


if __name__ == "__main__":
    main()
