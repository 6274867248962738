"""Measure what users wait for: taking the stage down, bringing it back, and finding it unchanged.

Whole commands are timed, as a user would with a watch, on a stage whose caches are warm.
"""

from __future__ import annotations

import os
import subprocess
import time

from infra.context import REPO
from infra.stage import Stage

MEASURED = {
    "destroy": "make destroy",
    "deploy": "make deploy, caches warm",
    "again": "make deploy, nothing to do",
}


def bench(stage: Stage) -> None:
    _make("deploy")
    seconds = {name: _make(name.replace("again", "deploy")) for name in MEASURED}
    print(f"\n{stage.name}: {len(stage.identities())} hosts on {os.cpu_count()} cores")
    for name, what in MEASURED.items():
        print(f"  {what:28} {seconds[name]:6.1f} s")


def _make(target: str) -> float:
    began = time.monotonic()
    subprocess.run(["make", "--no-print-directory", target], cwd=REPO, check=True)
    return time.monotonic() - began
