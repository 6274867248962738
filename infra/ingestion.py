"""What a stage file says of ingestion, checked by the very code that will read it on the hosts."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

JOBS = Path(__file__).resolve().parents[1] / "jobs"


def complaint(kind: str, options: Mapping[str, Any], *, own_broker: bool) -> str | None:
    """What is wrong with a connector or a processor, as a sentence."""
    registry = _registry()
    options = dict(options)
    name = options.pop("name", None)
    if not isinstance(name, str):
        return f"name: is missing; say which {kind}."
    if name == "mqtt" and own_broker:
        options = {"host": "the stage's own broker"} | options
    try:
        registry.check(kind, name, options)
    except registry.OptionError as error:
        return str(error)
    return None


def topics(processor: Mapping[str, Any]) -> set[str]:
    """The topics that a processor needs."""
    registry = _registry()
    try:
        return set(registry.topics_of(str(processor.get("name"))))
    except registry.OptionError:
        return set()  # that it is unknown is told by another rule


def _registry() -> Any:
    # Here, because few commands and few stages need it, and the schema's code is made first.
    if str(JOBS) not in sys.path:
        sys.path.append(str(JOBS))
    from jobs.build import generate_schema

    generate_schema()
    from streambed.ingest import registry

    return registry
