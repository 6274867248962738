"""The control machine's virtual environment, made from requirements.lock.

Standard library only: this is what makes everything else importable.
"""

import platform
import sys
import time
from pathlib import Path

from infra.setup.cache import Entry, cached

REPO = Path(__file__).resolve().parents[2]
LOCK = REPO / "requirements.lock"
LINK = REPO / ".venv"


def make_venv() -> Path:
    """Return the environment for this lock and this Python, and point `.venv` to it."""
    # A virtual environment refers to its interpreter by path, so the path is part of the name.
    interpreter = str(Path(sys.executable).resolve())
    path = cached("venv", "control", [LOCK, sys.version, interpreter, platform.machine()], _build)
    if not (LINK.is_symlink() and LINK.readlink() == path):
        LINK.unlink(missing_ok=True)
        LINK.symlink_to(path)
    return path


def _build(entry: Entry) -> None:
    what = f"Making the Python environment of {LOCK.name}"
    print(f"python: {what[0].lower()}{what[1:]}, which takes a minute or two", flush=True)
    began = time.monotonic()
    entry.run([sys.executable, "-m", "venv", entry.path], what=what)
    entry.run(
        [
            *(entry.path / "bin/python", "-m", "pip", "install", "--no-input"),
            *("--disable-pip-version-check", "--require-hashes", "--requirement", LOCK),
        ],
        what=what,
    )
    print(f"  done ({time.monotonic() - began:.1f} s)", flush=True)
