"""A job's checkpoint on the bucket: who may write it, what it was made with, and beginning anew.

`checkpoints/<job>/head.json` names the generation whose directory is Spark's own checkpoint, and
the one driver that may write there. A driver takes the head over with a conditional put, and looks
at it in every batch: one that was believed dead, and wakes up, finds that the head is not its own
any more and stops before it says anything.
"""

import json
import uuid
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from streambed.analytics.bucket import Bucket, Changed


class Fenced(Exception):
    """Another driver has taken the checkpoint over."""


class Incompatible(Exception):
    """A checkpoint that was made with other settings, as a sentence."""


@dataclass(frozen=True)
class Head:
    generation: int = 0
    epoch: int = 0
    owner: str = ""
    groups: int = 1  # into which vehicles are divided, for as long as this generation lasts
    contract: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


class Checkpoint:
    def __init__(self, bucket: Bucket, job: str) -> None:
        self._bucket = bucket
        self.job = job
        self._tag: str | None = None
        self.head = Head()

    @property
    def location(self) -> str:
        """For Spark."""
        return f"s3a://{self._bucket.name}/{self._directory(self.head.generation)}"

    def check(self, contract: dict[str, Any]) -> None:
        """Whether a job with this contract could go on from here; Incompatible if not."""
        head, tag = self._read()
        if tag is not None and head.contract and head.contract != contract:
            raise Incompatible(_difference(self.job, head.contract, contract))

    def take(self, contract: dict[str, Any], options: dict[str, Any], *, groups: int = 1) -> None:
        """Become the one who writes it. The number of groups counts where a generation begins."""
        self.check(contract)
        head, tag = self._read()
        mine = replace(
            head,
            groups=head.groups if head.contract else groups,
            epoch=head.epoch + 1,
            owner=uuid.uuid4().hex,
            contract=contract,
            options=options,
        )
        self._write(mine, tag)

    def begin_anew(self) -> None:
        """Leave everything behind: the next generation starts with nothing."""
        head, tag = self._read()
        old = head.generation
        fresh = replace(head, generation=old + 1, epoch=head.epoch + 1, contract={}, options={})
        self._write(fresh, tag)
        self._bucket.remove_all(f"{self._directory(old)}/")

    def hold(self) -> None:
        """Make sure that it still is ours, before anything is written."""
        if self._bucket.tag(self._name) != self._tag:
            raise Fenced(
                f"{self.job}: another driver has taken over the checkpoint; this one stops."
            )

    def _read(self) -> tuple[Head, str | None]:
        found = self._bucket.read_tagged(self._name)
        if found is None:
            return Head(), None
        content, tag = found
        return Head(**json.loads(content)), tag

    def _write(self, head: Head, tag: str | None) -> None:
        content = json.dumps(asdict(head), indent=1, sort_keys=True).encode()
        try:
            self._tag = self._bucket.put_if(self._name, content, tag)
        except Changed as error:
            raise Fenced(f"{self.job}: another driver takes over the checkpoint.") from error
        self.head = head

    @property
    def _name(self) -> str:
        return f"checkpoints/{self.job}/head.json"

    def _directory(self, generation: int) -> str:
        return f"checkpoints/{self.job}/{generation}"


def _difference(job: str, before: dict[str, Any], now: dict[str, Any]) -> str:
    names = sorted(key for key in {*before, *now} if before.get(key) != now.get(key))
    changes = ", ".join(f"{key} from {before.get(key)!r} to {now.get(key)!r}" for key in names)
    return (
        f"{job}: its checkpoint was made with other settings ({changes}) and cannot be taken up."
        f" Undo the change; or, to begin anew with it: `make job-stop JOB={job}`, `make job-reset"
        f" JOB={job}`, `make deploy`, `make job-start JOB={job}`."
    )
