"""What apt on this machine knows about Debian: where packages come from, and how to fetch them.

The image is made from the same sources as the machine, so that no mirror is named anywhere and
a proxy or an internal mirror that was set up for the machine serves the image, too.
Standard library only: the bootstrap installs packages with this.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from infra.setup.errors import SetupError
from infra.setup.run import run

CODENAME = "bookworm"

# How to reach a mirror; everything else that apt knows is the machine's own business.
CARRIED_SETTINGS = (
    "Acquire::http",
    "Acquire::Retries",
    "Acquire::Check-Valid-Until",
    "Acquire::ForceIPv",
)


def missing_packages(packages: Sequence[str]) -> list[str]:
    """Those of `packages` that are not installed."""
    answer = _ask(
        "dpkg-query", "--show", "--showformat", "${Package} ${db:Status-Status}\n", *packages
    )
    installed = {line.split()[0] for line in answer.splitlines() if line.endswith(" installed")}
    return [package for package in packages if package not in installed]


def install(packages: Sequence[str], *, log: Path) -> None:
    """Install Debian packages without asking anything."""
    what = f"Installing Debian packages ({' '.join(packages)})"
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    # Another apt may be at work, as on any machine that updates itself: wait for it.
    patient = ("-o", "DPkg::Lock::Timeout=300")
    run(["apt-get", *patient, "update"], log=log, what=what, env=env)
    run(
        ["apt-get", *patient, "install", "--yes", "--no-install-recommends", *packages],
        log=log,
        what=what,
        env=env,
        stoppable=False,  # half-installed packages would be the user's to repair
    )


def debian_sources(*, log: Path) -> str:
    """The machine's own sources of Debian itself, as sources.list lines; others are left out."""
    lines = _debian_sources()
    if not lines:  # as in a container image whose package lists were removed to save space
        run(["apt-get", "update"], log=log, what="Fetching Debian's package lists")
        lines = _debian_sources()
    if not any(line.split()[2] == CODENAME for line in lines):
        raise SetupError(
            f"apt on this machine has no source for Debian 12 ({CODENAME}), which the hosts'"
            " image is made from: add one to /etc/apt/sources.list.d and run again."
        )
    return "\n".join(lines) + "\n"


def fetch_settings() -> str:
    """The machine's settings for reaching a mirror (proxies and the like), as apt.conf lines."""
    lines = _ask("apt-config", "dump", "--no-empty", "Acquire").splitlines()
    return "".join(f"{line}\n" for line in lines if line.startswith(CARRIED_SETTINGS))


def _debian_sources() -> list[str]:
    form = "deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
    targets = ("Created-By: Packages", "Origin: Debian")
    answer = _ask("apt-get", "indextargets", "--format", form, *targets)
    return [
        line for line in sorted(set(answer.splitlines())) if line.split()[2].startswith(CODENAME)
    ]


def _ask(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout
