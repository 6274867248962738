"""Write requirements.lock and requirements-hosts.lock from pyproject.toml.

Run `python -m infra.setup.lock` after changing a dependency there; with `--upgrade`
every pin moves to the newest version that fits. The locks carry hashes and no download
addresses, so that they say what is installed and never where it comes from.
"""

import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]

# The control machine may run any Python from 3.11 on, so its lock carries markers;
# the hosts run Debian 12's python3.11 and nothing else.
LOCKS = {
    "requirements.lock": ["pyproject.toml", "--universal"],
    "requirements-hosts.lock": ["--group", "hosts", "--python-platform", "linux"],
}


def main() -> int:
    for lock, scope in LOCKS.items():
        command = [
            *(sys.executable, "-m", "uv", "pip", "compile", "--quiet"),
            *("--generate-hashes", "--python-version", "3.11"),
            *("--no-emit-index-url", "--no-emit-find-links", "--no-strip-extras"),
            *("--custom-compile-command", "python -m infra.setup.lock"),
            *("--output-file", lock),
            *scope,
            *sys.argv[1:],
        ]
        status = subprocess.run(command, cwd=REPO, stdout=subprocess.DEVNULL).returncode
        if status:
            print(f"uv could not lock {lock}: see its message above.", file=sys.stderr)
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
