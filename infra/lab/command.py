"""Run a system command; what it says when it fails becomes the error."""

import subprocess


class LabError(Exception):
    """What went wrong in the lab, as a sentence."""


def run(*command: object) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        said = done.stderr.strip() or done.stdout.strip() or f"exit {done.returncode}"
        raise LabError(f"`{' '.join(map(str, command))}` failed: {said.splitlines()[-1]}.")
    return done.stdout


def succeeds(*command: object) -> bool:
    done = subprocess.run([str(word) for word in command], capture_output=True)
    return done.returncode == 0
