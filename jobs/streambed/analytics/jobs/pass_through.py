"""The probe: copies positions as they are, to measure the floor of latency."""

from streambed.analytics import Copy


class PassThrough(Copy):
    name = "pass-through"
