"""The two layers of a stage as Pulumi stacks, driven through the Automation API."""

from __future__ import annotations

import os
import secrets
import sys
from collections.abc import Callable
from pathlib import Path

import yaml
from pulumi import automation as auto

from infra import context
from infra.context import REPO
from infra.setup import tools
from infra.stage import Stage, folder
from infra.topology import Topology

OnEvent = Callable[[auto.EngineEvent], None]


class StackError(Exception):
    """Why the engine could not do what was asked, in its own words."""


class Stacks:
    """The stage's state is a file backend of its own, its secrets under a passphrase of its own;
    whoever holds the stage's lock may break Pulumi's, since nobody else can be at work."""

    def __init__(self, stage: Stage):
        self.stage = stage
        self.state = context.state(stage.name)
        pulumi_bin = tools.pulumi_bin()
        # The Automation API looks for the CLI on this process' own path.
        if str(pulumi_bin) not in os.environ["PATH"].split(":"):
            os.environ["PATH"] = f"{pulumi_bin}:{os.environ['PATH']}"
        self._environment = _environment(stage, self.state)

    def layer(self, name: str) -> auto.Stack:
        workspace = auto.LocalWorkspace(
            work_dir=str(_project(name, self.state)), env_vars=self._environment
        )
        try:
            return auto.Stack.create_or_select(self.stage.name, workspace)
        except auto.CommandError as error:
            raise StackError(_said(error)) from error

    def up(self, name: str, on_event: OnEvent, **config: str) -> auto.UpResult:
        stack = self.layer(name)
        _unlock(stack)
        for key, value in config.items():
            stack.set_config(key, auto.ConfigValue(value))
        try:
            return stack.up(on_event=on_event, refresh=name == "cluster")
        except auto.CommandError as error:
            raise StackError(_said(error)) from error

    def preview(self, name: str, on_event: OnEvent) -> None:
        stack = self.layer(name)
        _unlock(stack)
        try:
            stack.preview(on_event=on_event, refresh=name == "cluster")
        except auto.CommandError as error:
            raise StackError(_said(error)) from error

    def unprotect(self, name: str) -> None:
        """Allow the layer's resources to be deleted; only `purge` asks for it."""
        stack = self.layer(name)
        try:
            stack._run_pulumi_cmd_sync(["state", "unprotect", "--all", "--yes"])
        except auto.CommandError as error:
            raise StackError(_said(error)) from error

    def destroy(self, name: str, on_event: OnEvent) -> None:
        stack = self.layer(name)
        _unlock(stack)
        try:
            stack.destroy(on_event=on_event)
        except auto.CommandError as error:
            raise StackError(_said(error)) from error

    def topology(self) -> Topology | None:
        """The deployed stage, or None where its cluster does not stand."""
        output = self.layer("cluster").outputs().get("topology")
        return Topology.model_validate(output.value) if output else None


def _project(layer: str, state: Path) -> Path:
    """The layer's Pulumi project, moved to where its stack settings may be written: the salt of
    its secrets is kept with the state, not among the tracked files."""
    folder = state / "pulumi" / layer
    folder.mkdir(parents=True, exist_ok=True)
    project = yaml.safe_load((REPO / "infra" / layer / "Pulumi.yaml").read_text())
    project["main"] = str(REPO / "infra" / layer)
    file, text = folder / "Pulumi.yaml", yaml.safe_dump(project)
    if not file.exists() or file.read_text() != text:
        fresh = folder / f"Pulumi.yaml.{os.getpid()}"
        fresh.write_text(text)
        fresh.replace(file)  # in one step: somebody else may be reading it
    return folder


def _environment(stage: Stage, state: Path) -> dict[str, str]:
    backend = state / "pulumi" / "backend"
    backend.mkdir(parents=True, exist_ok=True)
    return {
        "STAGE": stage.name,
        "STAGES": str(folder()),
        "PYTHONPATH": str(REPO),
        "PULUMI_PYTHON_CMD": sys.executable,
        "PULUMI_HOME": str(state / "pulumi" / "home"),
        "PULUMI_BACKEND_URL": f"file://{backend}",
        "PULUMI_CONFIG_PASSPHRASE_FILE": str(_passphrase(state)),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
    }


def _passphrase(state: Path) -> Path:
    file = state / "pulumi" / "passphrase"
    if not file.exists():
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as passphrase:
            passphrase.write(secrets.token_urlsafe(32))
    return file


def _unlock(stack: auto.Stack) -> None:
    locks = Path(stack.workspace.env_vars["PULUMI_BACKEND_URL"].removeprefix("file://"))
    if any((locks / ".pulumi" / "locks").glob(f"**/{stack.name}/*.json")):
        stack.cancel()


def _said(error: auto.CommandError) -> str:
    """The engine's own error lines, without the trace around them."""
    lines = [line.strip() for line in str(error).splitlines()]
    errors = [
        line for line in lines if line.startswith(("error:", "Exception:")) or "Error:" in line
    ]
    return "\n".join(dict.fromkeys(errors)) or str(error)
