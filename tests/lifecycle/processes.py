"""Ingestions and simulators as processes of their own, so that they can be killed."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import yaml

JOBS = Path(__file__).parents[2] / "jobs"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(JOBS)}
COMMAND = [sys.executable, "-m", "streambed.ingest"]


class Running:
    def __init__(self, config: Path, metrics_port: int) -> None:
        self._log = config.with_suffix(".log")
        self._port = metrics_port
        with self._log.open("a") as log:
            self.process = subprocess.Popen(
                [*COMMAND, "run", "--config", str(config)], env=ENVIRONMENT, stdout=log, stderr=log
            )

    @property
    def log(self) -> str:
        return self._log.read_text()

    def metric(self, name: str) -> float:
        address = f"http://127.0.0.1:{self._port}/metrics"
        with urllib.request.urlopen(address, timeout=5) as answer:
            text = answer.read().decode()
        lines = re.findall(rf"^streambed_ingest_{name}(?:\{{.*\}})? (.*)$", text, re.MULTILINE)
        return sum(float(line) for line in lines)

    def wait_for_log(self, words: str, seconds: float = 20) -> None:
        deadline = time.monotonic() + seconds
        while words not in self.log:
            assert time.monotonic() < deadline, f"{words!r} is not in the log:\n{self.log}"
            assert self.process.poll() is None, self.log
            time.sleep(0.1)

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=60)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


class Ingestion:
    def __init__(self, directory: Path, bootstrap: str) -> None:
        self._directory = directory
        self._bootstrap = bootstrap
        self._started: list[Running] = []

    def start(self, name: str, connector: dict, **settings) -> Running:
        port = free_port()
        config = {
            "connector": connector,
            "processor": {"name": "hfp"},
            "kafka": {"bootstrap": self._bootstrap},
            "metrics": {"port": port},
            **settings,
        }
        file = self._directory / f"{name}.yml"
        file.write_text(yaml.safe_dump(config))
        running = Running(file, port)
        self._started.append(running)
        return running

    def end_all(self) -> None:
        for running in self._started:
            if running.process.poll() is None:
                running.kill()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def acknowledged(truth: Path) -> set[str]:
    """What a simulator's ground truth says that the broker or the file has."""
    return set((truth / "acknowledged.txt").read_text().splitlines())


def simulator(*flags: str) -> subprocess.Popen:
    return subprocess.Popen([*COMMAND, "simulate", *flags], env=ENVIRONMENT)


def simulate(*flags: str) -> None:
    subprocess.run([*COMMAND, "simulate", *flags], env=ENVIRONMENT, check=True)
