"""What came out of comparing one job: counts, and the first differences of each kind."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Kind = Literal["missing", "wrong", "extra"]
KINDS: tuple[Kind, ...] = ("missing", "wrong", "extra")
SHOWN = 5


class Difference(NamedTuple):
    kind: Kind
    key: str
    expected: str
    found: str


@dataclass
class Comparison:
    job: str
    compared: int = 0
    missing: int = 0
    wrong: int = 0
    extra: int = 0
    differences: list[Difference] = field(default_factory=list)
    records: int = 0
    undecodable: int = 0
    late: int = 0
    future: int = 0
    notes: list[str] = field(default_factory=list)  # how far it has come, what was not judged

    @property
    def agrees(self) -> bool:
        return self.missing == self.wrong == self.extra == 0

    def differ(self, kind: Kind, key: str, expected: str, found: str) -> None:
        count = getattr(self, kind) + 1
        setattr(self, kind, count)
        if count <= SHOWN:
            self.differences.append(Difference(kind, key, expected, found))
