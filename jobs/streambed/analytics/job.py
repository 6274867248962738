"""What a job is: a declaration, and a pure function from DataFrame to DataFrame.

Four kinds. A `WindowJob` answers for sliding windows, a `SqlJob` for each record by itself, an
`OrderedJob` for what a machine finds in the sequence of a vehicle's records, and a `Copy` hands
records on as they are. Nothing here needs Spark, so a stage file is checked where Spark is not.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from streambed.analytics.ordered import Machine, Ordered
from streambed.analytics.views import VIEWS, View
from streambed.analytics.windows import Newest, Summary, Windows
from streambed.durations import to_ms
from streambed.events import Row
from streambed.events.cells import FINE_RESOLUTION, parent_cell_sql
from streambed.options import OptionError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Guarantee = Literal["exactly-once", "at-least-once"]
GUARANTEES = ("exactly-once", "at-least-once")
REAL_TIME = "real-time"
AS_FAST_AS_POSSIBLE = "0s"
LATE_TOPIC = "analytics.late"


class Job:
    """What all jobs declare. Options are keyword arguments of `__init__`, with their types."""

    name: ClassVar[str]
    input: ClassVar[str] = "input.vehicle-position"
    result: ClassVar[type] = Row
    key: ClassVar[tuple[str, ...]] = ()
    # The column with the event time of a result in ms, for jobs without windows.
    time: ClassVar[str] = "event_ms"
    trigger: ClassVar[str] = "5s"
    # The most records of one batch, so that a backlog is worked off in pieces that fit in memory.
    most: ClassVar[int] = 100_000

    guarantees: ClassVar[tuple[str, ...]] = ("exactly-once",)
    can_be_real_time: ClassVar[bool] = False

    def __init__(self) -> None:
        pass

    @property
    def output(self) -> str:
        return f"analytics.{self.name}"

    @property
    def view(self) -> View:
        return VIEWS[self.input]

    def options(self) -> dict[str, Any]:
        """Everything that has an influence on results, durations in ms: what a checkpoint was made
        with, and what the oracle has to know."""
        return {}

    def contract(self) -> dict[str, Any]:
        """What must stay the same for a checkpoint to be taken up."""
        return {"kind": self.kind(), "input": self.input, **self.options()}

    def kind(self) -> str:
        return next(base.__name__ for base in type(self).__mro__ if base.__module__ == __name__)


class _Selecting(Job):
    """A job that reads some records of its input and some of their columns.

    `where` and `values` are SQL over the columns of the input's view. `parent(cell)` stands for the
    H3 cell at the job's resolution.
    """

    where: ClassVar[str] = "true"
    values: ClassVar[Mapping[str, str]] = {}

    def __init__(self, *, resolution: int = 9) -> None:
        super().__init__()
        if not 0 <= resolution <= FINE_RESOLUTION:
            raise OptionError(
                f"resolution: must be 0 to {FINE_RESOLUTION}, that of the cells in the events;"
                f" found {resolution}."
            )
        self.resolution = resolution

    def options(self) -> dict[str, Any]:
        return {
            "resolution": self.resolution,
            "where": self.where,
            "values": dict(self.values),
        }

    def expressions(self) -> dict[str, str]:
        """The values as Spark understands them."""
        return {
            name: re.sub(
                r"parent\((\w+)\)", lambda m: parent_cell_sql(m[1], self.resolution), expression
            )
            for name, expression in self.values.items()
        }

    def columns(self) -> list[str]:
        """The columns of the view that are spoken of; no others are decoded."""
        words = set(re.findall(r"\w+", " ".join((self.where, *self.values.values()))))
        return [name for name in self.view.columns if name in words]


class WindowJob(_Selecting):
    """A value for every window, from the rows that `summary` makes of the records in it.

    The rows of a batch have the columns `window` (when it ends), those of `rows`, and `n`, how many
    vehicles gave this row. Either `sql` says what becomes of them, as a query over a view with the
    input's name, or `query` does, as a function of DataFrames.

    Where results of rows with a different value in one column do not depend on each other, `part`
    names it: then late records have only those results said again that they change.
    """

    size: ClassVar[str] = "5m"
    slide: ClassVar[str] = "5s"
    # Of each window's own time; if none is given, one pane at its end, before the watermark.
    early: ClassVar[str] = ""
    # Just under a multiple of the trigger: batches begin at such multiples, and find it passed.
    bound: ClassVar[str] = "9.5s"
    lateness: ClassVar[str] = "1m"
    summary: ClassVar[Summary] = Newest()
    # Names and types of the rows; where absent, those of the values, with `newest` for Newest.
    rows: ClassVar[str] = ""
    part: ClassVar[str] = ""
    sql: ClassVar[str] = ""

    def __init__(
        self,
        *,
        resolution: int = 9,
        size: str | None = None,
        slide: str | None = None,
        early: str | None = None,
        bound: str | None = None,
        lateness: str | None = None,
    ) -> None:
        super().__init__(resolution=resolution)
        self.size_ms = to_ms(size or self.size, option="size")
        self.slide_ms = to_ms(slide or self.slide, option="slide")
        self.early_ms = to_ms(early or self.early or size or self.size, option="early")
        self.bound_ms = to_ms(bound or self.bound, option="bound")
        self.lateness_ms = to_ms(lateness or self.lateness, option="lateness")
        if self.slide_ms < 100 or self.size_ms % self.slide_ms:
            raise OptionError(
                f"slide: must be 100ms or more and divide size ({self.size_ms} ms);"
                f" found {self.slide_ms} ms."
            )

    def options(self) -> dict[str, Any]:
        return super().options() | {
            "size": self.size_ms,
            "slide": self.slide_ms,
            "bound": self.bound_ms,
            "lateness": self.lateness_ms,
        }

    def state(self) -> Windows:
        return Windows(
            size_ms=self.size_ms,
            slide_ms=self.slide_ms,
            bound_ms=self.bound_ms,
            lateness_ms=self.lateness_ms,
            early_ms=self.early_ms,
            summary=self.summary,
        )

    def query(self, rows: "DataFrame") -> "DataFrame":
        """Results, with `window` and the fields of the result's type as columns."""
        rows.createOrReplaceTempView(self.view.name)
        return rows.sparkSession.sql(self.sql)

    def tables(self, bucket: Any) -> Any | None:
        """Static tables that the query needs, as an object with `refresh(session)`."""
        return None


class OrderedJob(_Selecting):
    """What a machine finds in the sequence of each vehicle's records."""

    bound: ClassVar[str] = "9.5s"
    reorder: ClassVar[str] = "5s"
    patience: ClassVar[str] = "10m"
    rows: ClassVar[str]

    def __init__(
        self, *, resolution: int = 9, reorder: str | None = None, patience: str | None = None
    ) -> None:
        super().__init__(resolution=resolution)
        self.bound_ms = to_ms(self.bound, option="bound")
        self.reorder_ms = to_ms(reorder or self.reorder, option="reorder")
        self.patience_ms = to_ms(patience or self.patience, option="patience")
        if self.patience_ms < self.reorder_ms:
            raise OptionError(
                f"patience: must not be shorter than reorder ({self.reorder_ms} ms);"
                f" found {self.patience_ms} ms."
            )

    def options(self) -> dict[str, Any]:
        return super().options() | {
            "bound": self.bound_ms,
            "reorder": self.reorder_ms,
            "patience": self.patience_ms,
        }

    def machine(self) -> Machine:
        raise NotImplementedError

    def state(self) -> Ordered:
        return Ordered(
            reorder_ms=self.reorder_ms,
            patience_ms=self.patience_ms,
            bound_ms=self.bound_ms,
            machine=self.machine(),
        )


class SqlJob(_Selecting):
    """One result for each record that is wanted: `sql` is a query over the view of the input."""

    trigger = "1s"
    sql: ClassVar[str]

    def options(self) -> dict[str, Any]:
        return super().options() | {"sql": self.sql}

    def columns(self) -> list[str]:
        words = set(re.findall(r"\w+", self.sql))
        return [name for name in self.view.columns if name in words]


class Copy(Job):
    """Hands every record on as it is, decoded by nobody."""

    trigger = "1s"
    guarantees = GUARANTEES
    can_be_real_time = True


def complaint(job: Job, *, trigger: str | None, guarantee: str | None) -> str | None:
    """What is wrong with how a job is to be run, as a sentence."""
    if guarantee is not None and guarantee not in job.guarantees:
        allowed = " or ".join(job.guarantees)
        if guarantee in GUARANTEES:
            return (
                f"guarantee: {job.name} has results that are folded by version, which"
                f" {guarantee} cannot give; allowed: {allowed}."
            )
        return f"guarantee: allowed: {allowed}; found {guarantee!r}."
    if trigger == REAL_TIME:
        if not job.can_be_real_time:
            return (
                f"trigger: {job.name} decodes its input and keeps state in Python, which Spark's"
                " real-time mode cannot run; give an interval such as 5s, or 0s for as fast as"
                " possible."
            )
        if guarantee == "at-least-once":
            return "trigger: real-time goes with exactly-once; leave guarantee out."
    elif trigger is not None:
        try:
            to_ms(trigger, option="trigger")
        except OptionError as error:
            return str(error).replace("must be", "must be real-time or", 1)
    return None
