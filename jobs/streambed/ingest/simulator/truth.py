"""The ground truth of a simulation: a directory with what really happened.

acknowledged.txt       `0040/00456 vp 1600657200963` for every message that the broker has
                       acknowledged (or that the file holds), garbage left out, copies included
emergency-stops.jsonl  what a detector has to find
summary.json           counts, written at the end
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

from streambed.ingest.simulator.fleet import Arrival, EmergencyStop, as_json


class Truth:
    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._acknowledged: TextIO | None = None
        self._stops: TextIO | None = None
        self.counts: Counter[str] = Counter()
        if directory is not None:
            directory.mkdir(parents=True, exist_ok=True)
            self._acknowledged = (directory / "acknowledged.txt").open("w", buffering=1 << 16)
            self._stops = (directory / "emergency-stops.jsonl").open("w")

    def published(self, messages: int) -> None:
        self.counts["published"] += messages

    def acknowledged(self, message: Arrival) -> None:
        self.counts["acknowledged"] += 1
        if message.identity is None:
            self.counts["acknowledged_garbage"] += 1
        elif self._acknowledged is not None:
            self._acknowledged.write(f"{message.identity}\n")

    def unheard(self, message: Arrival) -> None:
        """The broker took it, but nobody was subscribed."""
        self.counts["without_subscriber"] += 1

    def emergency_stops(self, stops: list[EmergencyStop]) -> None:
        if self._stops is not None:
            for stop in stops:
                self._stops.write(json.dumps(as_json(stop)) + "\n")
            self._stops.flush()

    def close(self, summary: dict[str, Any]) -> None:
        if self._directory is None:
            return
        self._acknowledged.close()
        self._stops.close()
        counts = {**summary, **self.counts}
        (self._directory / "summary.json").write_text(json.dumps(counts, indent=2) + "\n")
