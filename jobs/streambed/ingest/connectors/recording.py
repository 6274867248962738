"""Replays a recording: with its own timing, faster, or as fast as possible.

`loops` repeats it, each time later by its length; `copies` delivers every message several times
as if from vehicles of their own. `times: now` moves all times so that the first message comes now.
With a `position` file a replay that was stopped or killed goes on where Kafka had everything, with
the same times as before.
"""

import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from streambed.ingest.interfaces import Connector
from streambed.ingest.messages import Batch, RawMessage
from streambed.ingest.recordings import find_files, parse_line, read_lines
from streambed.ingest.times import now_ms
from streambed.options import OptionError

BATCH = 1000
SAVE_EVERY = 1.0


@dataclass(frozen=True)
class Position:
    """How far a replay has come, and what must not change when it goes on."""

    source: str
    loop: int = 0
    line: int = 0
    shift_ms: int | None = None  # of the first loop
    length_ms: int | None = None  # of the recording; known when it has been read once


class RecordingConnector(Connector):
    def __init__(
        self,
        *,
        source: str,
        speed: float = 1.0,
        loops: int = 1,
        copies: int = 1,
        times: str = "kept",
        position: str | None = None,
    ) -> None:
        """`speed` 2 is twice as fast and 0 as fast as possible; `loops` 0 is for ever."""
        if speed < 0:
            raise OptionError(f"speed: must be 0 (as fast as possible) or more; found {speed}.")
        if loops < 0:
            raise OptionError(f"loops: must be 0 (for ever) or more; found {loops}.")
        if copies < 1:
            raise OptionError(f"copies: must be at least 1; found {copies}.")
        if times not in ("kept", "now"):
            raise OptionError(f"times: must be 'kept' or 'now'; found {times!r}.")
        self._source = source
        self._speed = speed
        self._loops = loops
        self._copies = copies
        self._times = times
        self._position_file = None if position is None else Path(position)
        self._position = self._load_position()
        self._saved = time.monotonic()
        self._batches: Iterator[Batch] = iter(())
        self._waiting: Batch | None = None
        self._due = 0.0
        self._exhausted = False

    def open(self) -> None:
        find_files(self._source)  # a wrong address is told at once
        self._batches = self._replay()

    def receive(self, timeout: float) -> Batch | None:
        if self._waiting is None:
            self._waiting = next(self._batches, None)
            if self._waiting is None:
                self._exhausted = True
                return None
        wait = self._due - time.monotonic()
        if wait > 0:
            time.sleep(min(wait, timeout))
            if wait > timeout:
                return None
        batch, self._waiting = self._waiting, None
        return batch

    def settle(self, batch: Batch) -> None:
        if batch.copy == self._copies - 1:
            self._position = batch.token
            if time.monotonic() - self._saved > SAVE_EVERY:
                self._save_position()

    def close(self) -> None:
        self._save_position()

    @property
    def exhausted(self) -> bool:
        return self._exhausted

    def _replay(self) -> Iterator[Batch]:
        position = self._position
        while self._loops == 0 or position.loop < self._loops:
            started: tuple[float, int] | None = None
            first_ms = last_ms = None
            line = 0
            for messages in self._read_groups():
                first_ms = messages[0].received_ms if first_ms is None else first_ms
                last_ms = messages[-1].received_ms
                line += len(messages)
                if line <= position.line:  # delivered before this replay was resumed
                    continue
                messages = messages[position.line - line :] if position.line else messages
                if position.shift_ms is None:
                    shift = now_ms() - first_ms if self._times == "now" else 0
                    position = replace(position, shift_ms=shift)
                if self._speed:
                    began, from_ms = started = started or (
                        time.monotonic(),
                        messages[0].received_ms,
                    )
                    self._due = began + (messages[0].received_ms - from_ms) / 1000 / self._speed
                position = replace(position, line=line)
                shift_ms = position.shift_ms + position.loop * (position.length_ms or 0)
                for copy in range(self._copies):
                    yield Batch(messages, shift_ms, copy, token=position)
            if last_ms is None:
                return  # nothing in it: repeating it would never end
            # One second more, so that the first message of a loop is later than the last before.
            length = position.length_ms or last_ms - first_ms + 1000
            position = replace(position, loop=position.loop + 1, line=0, length_ms=length)

    def _read_groups(self) -> Iterator[list[RawMessage]]:
        """Messages of the whole recording, as many at a time as may come at the same moment."""
        for name in find_files(self._source):
            for lines in read_lines(name):
                messages = [parse_line(line) for line in lines if line]
                yield from self._group(messages)

    def _group(self, messages: list[RawMessage]) -> Iterator[list[RawMessage]]:
        if not self._speed:
            for start in range(0, len(messages), BATCH):
                yield messages[start : start + BATCH]
            return
        group: list[RawMessage] = []
        resolution_ms = max(10, round(10 * self._speed))
        for message in messages:
            late = group and message.received_ms - group[0].received_ms >= resolution_ms
            if late or len(group) >= BATCH:
                yield group
                group = []
            group.append(message)
        if group:
            yield group

    def _load_position(self) -> Position:
        if self._position_file is None or not self._position_file.exists():
            return Position(self._source)
        try:
            position = Position(**json.loads(self._position_file.read_text()))
        except (ValueError, TypeError) as error:
            raise OptionError(
                f"position: {self._position_file} is no position of a replay ({error});"
                " remove it to start from the beginning."
            ) from error
        if position.source != self._source:
            raise OptionError(
                f"position: {self._position_file} is of {position.source}, not of {self._source};"
                " remove it to start from the beginning."
            )
        return position

    def _save_position(self) -> None:
        self._saved = time.monotonic()
        if self._position_file is not None:
            fresh = self._position_file.with_name(self._position_file.name + ".new")
            fresh.write_text(json.dumps(asdict(self._position)))
            os.replace(fresh, self._position_file)
