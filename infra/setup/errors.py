"""The one exception that set-up work raises on purpose."""


class SetupError(Exception):
    """Its message is one sentence for the user: what failed, where, and what to do."""
