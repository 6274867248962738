"""The exceptions that set-up work raises on purpose."""


class SetupError(Exception):
    """Its message is one sentence for the user: what failed, where, and what to do."""


class Stopped(SetupError):
    """Work that was going well but was given up because other work failed."""
