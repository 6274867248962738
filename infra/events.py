"""What the engine is doing, in words: progress while it works, and a summary of what it did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from pulumi.automation import EngineEvent, OpType

_DOING = {
    OpType.CREATE: "creating",
    OpType.UPDATE: "changing",
    OpType.REPLACE: "replacing",
    OpType.CREATE_REPLACEMENT: "replacing",
    OpType.DELETE: "deleting",
    OpType.DELETE_REPLACED: "replacing",
}
_DONE = {
    OpType.CREATE: "created",
    OpType.UPDATE: "changed",
    OpType.REPLACE: "replaced",
    OpType.DELETE: "deleted",
    OpType.SAME: "unchanged",
}


class Watch:
    """Listens to the engine: hands progress on, and keeps what happened to each resource."""

    def __init__(self, progress: Callable[[str], None]):
        self._progress = progress
        self.steps: dict[str, OpType] = {}
        self.errors: list[str] = []

    def __call__(self, event: EngineEvent) -> None:
        if event.resource_pre_event:
            step = event.resource_pre_event.metadata
            name = _readable(step.urn)
            if name and step.op in _DONE:
                self.steps[name] = step.op
            if name and step.op in _DOING:
                self._progress(f"{_DOING[step.op]} {name}")
        elif event.diagnostic_event and event.diagnostic_event.severity == "error":
            self.errors.append(event.diagnostic_event.message)

    @property
    def changes(self) -> int:
        return sum(op != OpType.SAME for op in self.steps.values())

    def summary(self) -> str:
        counts = Counter(_DONE[op] for op in self.steps.values())
        return ", ".join(f"{count} {word}" for word, count in sorted(counts.items())) or "nothing"

    def plan(self) -> list[str]:
        """One line per resource that would not stay as it is."""
        return [
            f"{_DONE[op]}: {name}" for name, op in sorted(self.steps.items()) if op != OpType.SAME
        ]


def _readable(urn: str) -> str | None:
    """`host kafka-1` for a resource of ours, nothing for the engine's own."""
    kind, name = urn.split("::")[-2:]
    if kind.startswith("pulumi:"):
        return None
    return f"{kind.rpartition(':')[2].lower()} {name}"
