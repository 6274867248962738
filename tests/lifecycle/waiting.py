"""Wait for something to become true, and tell how long it took."""

import time


def wait_until(check, *, seconds: float, what: str):
    """The first true answer of `check`, with the seconds it took to come."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if answer := check():
            return answer, time.monotonic() - began
        time.sleep(0.2)
    raise AssertionError(f"{what}: not within {seconds} s")
