"""How far a job has come: its newest committed batch, and the input up to there.

Read before any topic: what a committed batch said is in the topics by then, and what later
batches say in the meantime is told by its version.
"""

import json
from dataclasses import dataclass
from typing import Any

from streambed.oracle.errors import Failed, Wrong
from streambed.oracle.objects import Objects


@dataclass(frozen=True)
class Progress:
    job: str
    generation: int
    batch: int
    options: dict[str, Any]
    ends: dict[str, dict[int, int]]  # topic -> partition -> the first offset not consumed

    @property
    def version(self) -> int:
        """Of the newest results that the job must have written."""
        return self.generation << 32 | self.batch

    def covers(self, version: int) -> bool:
        """Whether a result of that version counts: of this generation, and of a committed batch.

        What a generation before a reset said is another job's word: it may have run with other
        options, and this one has begun anew."""
        return self.generation << 32 <= version <= self.version


def read_progress(objects: Objects, job: str) -> Progress:
    checkpoint = f"checkpoints/{job}"
    content = objects.content(f"{checkpoint}/head.json")
    if content is None:
        raise Wrong(f"{job} has no checkpoint yet; it has not been started.")
    head = json.loads(content)
    generation = int(head.get("generation", 0))
    commits = f"{checkpoint}/{generation}/commits/"
    numbers = [name.removeprefix(commits) for name in objects.names(commits)]
    batch = max((int(number) for number in numbers if number.isdecimal()), default=None)
    if batch is None:
        raise Wrong(f"{job} has no checkpoint yet; it has not completed a batch.")
    offsets = objects.content(f"{checkpoint}/{generation}/offsets/{batch}")
    if offsets is None:
        raise Failed(f"{job}: batch {batch} is committed, yet its offsets are gone.")
    return Progress(job, generation, batch, head.get("options") or {}, _ends(offsets))


def _ends(content: bytes) -> dict[str, dict[int, int]]:
    """After a version and the batch's metadata Spark writes a line for every source."""
    ends: dict[str, dict[int, int]] = {}
    for line in content.decode().splitlines()[2:]:
        if line.startswith("{"):
            for topic, partitions in json.loads(line).items():
                offsets = {int(number): offset for number, offset in partitions.items()}
                ends.setdefault(topic, {}).update(offsets)
    return ends
