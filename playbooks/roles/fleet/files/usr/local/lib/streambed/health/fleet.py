"""How the simulated fleet is: whether its process runs."""

import subprocess


def healthy():
    command = ["systemctl", "is-active", "fleet"]
    state = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    if state != "active":
        raise RuntimeError(f"its unit is {state}")
    return "drives"


def may_stop():
    return "nobody waits for a made-up vehicle"


def leads():
    raise RuntimeError("there is nobody to lead")
