"""Make a bare machine ready to run the rest of Streambed: `python3 -m infra.setup.bootstrap`.

Checks what only the user can provide, before touching anything; then installs the Debian
packages that are missing and makes the virtual environment that `.venv` points to.
Standard library only, and quick when there is nothing to do: every make target starts here.
"""

import os
import platform
import shutil
import subprocess
import sys
import time

from infra.setup import apt, jars, tools
from infra.setup.cache import SetupError, cache_root
from infra.setup.venv import make_venv
from infra.setup.versions import at_least

PACKAGES = (
    "iproute2",
    "mmdebstrap",
    "nftables",
    "openssh-client",
    "python3.11",
    "python3.11-venv",
    "systemd-container",
    "util-linux",
    "xfsprogs",
)


def check_machine() -> None:
    """Refuse machines that Streambed cannot run on."""
    if platform.system() != "Linux":
        raise SetupError(
            f"Streambed's local stage needs Linux, and this is {platform.system()}:"
            " run it on a Debian 12 machine."
        )
    release = platform.freedesktop_os_release()
    if release.get("VERSION_CODENAME") != apt.CODENAME:
        raise SetupError(
            "Streambed makes its hosts from this machine's own Debian 12 packages, and this is"
            f" {release.get('PRETTY_NAME', 'something else')}: run it on a Debian 12 machine."
        )
    if os.geteuid() != 0:
        raise SetupError(
            "Streambed's local stage boots hosts and networks, which only root may do:"
            " run the same command as root or with sudo."
        )


def check_build_tools() -> None:
    """Ask for Go, Java and Maven, each only if something is yet to be built with it."""
    if tools.go_is_needed():
        _check_version("go", ["version"], "1.25.11", "to build the Pulumi CLI and the S3 server")
    if jars.maven_is_needed():
        _check_version("java", ["-version"], "17", "to run Maven")
        if shutil.which("mvn") is None:
            raise SetupError(
                "Streambed resolves Kafka, ZooKeeper and Spark's connectors with Maven, and there"
                " is no `mvn` on PATH: install it (Debian's package is maven) and run again."
            )


def _check_version(program: str, arguments: list[str], minimum: str, purpose: str) -> None:
    if shutil.which(program) is None:
        raise SetupError(
            f"Streambed needs {program} {minimum} or newer {purpose}, and there is no `{program}`"
            " on PATH: install it and run again."
        )
    answer = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    said = (answer.stdout + answer.stderr).partition("\n")[0]
    if not at_least(said, minimum):
        raise SetupError(
            f"Streambed needs {program} {minimum} or newer {purpose}, and the one on PATH says"
            f" `{said}`: install a newer one, put it first on PATH and run again."
        )


def install_packages() -> None:
    missing = apt.missing_packages(PACKAGES)
    if missing:
        print(f"packages: installing {' '.join(missing)}", flush=True)
        began = time.monotonic()
        cache_root().mkdir(parents=True, exist_ok=True)
        apt.install(missing, log=cache_root() / "apt.log")
        print(f"  done ({time.monotonic() - began:.1f} s)", flush=True)


def main() -> int:
    os.umask(0o022)
    try:
        check_machine()
        check_build_tools()
    except SetupError as error:
        print(error, file=sys.stderr)
        return 2
    try:
        install_packages()
        make_venv()
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Interrupted: run the same command again, it goes on from here.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
