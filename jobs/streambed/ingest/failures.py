"""Sentences about what went wrong outside this program, in place of a traceback."""

from botocore.exceptions import BotoCoreError, ClientError

from streambed.ingest.pipeline import DeliveryFailed


def sentence_about(error: Exception) -> str | None:
    """A sentence, or None for an error that is ours and deserves its traceback."""
    if isinstance(error, DeliveryFailed):
        return str(error)
    if isinstance(error, BotoCoreError | ClientError):
        return f"The bucket cannot be used: {error}"
    if isinstance(error, OSError):
        return f"{error.filename or 'The system'}: {error.strerror or error}."
    return None
