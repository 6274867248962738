"""Why there is no answer, as sentences."""


class Wrong(Exception):
    """What was asked for is wrong, and nothing was compared."""


class Failed(Exception):
    """What was asked for is right, but could not be read."""
