"""Renders a role's files and templates and installs them on a host in one round trip.

A role's `files/` and `templates/` mirror the host: `templates/etc/kafka/server.properties.j2`
becomes `/etc/kafka/server.properties`. The module of the same name, which documents the options,
does the host's half.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.template import trust_as_template

# Scripts and what they read are read afresh each time: no reason to restart a service.
SCRIPTS = "/usr/local/"

# Stands in a unit for the digest of everything that its process reads.
DIGEST = "@STREAMBED_CONFIG@"

# Stands in paths for the name of one of several services that a role installs alike.
INSTANCE = "INSTANCE"


def walk(root: Path) -> list[tuple[Path, str]]:
    """Every file and link under a root, with its place on the host."""
    found = []
    for folder, _, names in os.walk(root):
        for name in names:
            source = Path(folder) / name
            found.append((source, f"/{source.relative_to(root)}".removesuffix(".j2")))
    return sorted(found, key=lambda pair: pair[1])


def permissions(path: str, content: str, secrets: dict[str, str]) -> dict[str, str]:
    if path in secrets:
        return {"group": secrets[path], "mode": "0640"}
    return {"group": "root", "mode": "0755" if content.startswith("#!") else "0644"}


def digest(files: list[dict[str, str]], also: str, live: frozenset[str] = frozenset()) -> str:
    """What a process runs with, in sixteen letters."""
    config = [
        f"{file['path']}\0{file['content']}"
        for file in files
        if not file["path"].startswith(SCRIPTS) and file["path"] not in live
    ]
    return hashlib.sha256("\0\0".join([also, *config]).encode()).hexdigest()[:16]


class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        super().run(tmp, task_vars)
        args = dict(self._task.args)
        roots = [self._root(name) for name in args.pop("from", ["files", "templates"])]
        secrets = args.pop("secrets", {})
        also = args.pop("also", "")
        live = args.pop("live", [])
        instance = args.pop("instance", INSTANCE)

        secrets = {path.replace(INSTANCE, instance): group for path, group in secrets.items()}
        sources = [
            (source, path.replace(INSTANCE, instance))
            for root in roots
            for source, path in walk(root)
        ]
        links = [
            {"path": path, "target": os.readlink(source)}
            for source, path in sources
            if source.is_symlink()
        ]
        contents = {
            path: self._content(source, task_vars)
            for source, path in sources
            if not source.is_symlink()
        }
        files = [
            {"path": path, "content": content} | permissions(path, content, secrets)
            for path, content in contents.items()
        ]
        config = digest(files, also, frozenset(path.replace(INSTANCE, instance) for path in live))
        for file in files:
            file["content"] = file["content"].replace(DIGEST, config)

        result = self._execute_module(
            module_args=args | {"files": files, "links": links, "digest": config},
            task_vars=task_vars,
        )
        result.pop("invocation", None)  # it repeats every file, secret ones too
        return result

    def _root(self, name: str) -> Path:
        root = Path(self._task._role.get_role_path() if self._task._role else ".") / name
        if not root.is_dir():
            raise AnsibleActionFail(f"There is no directory {root} to install from.")
        return root

    def _content(self, source: Path, task_vars: dict) -> str:
        text = source.read_text()
        if source.suffix != ".j2":
            return text
        shared = Path(self._loader.get_basedir()) / "templates"
        templar = self._templar.copy_with_new_env(
            searchpath=[str(source.parent), str(shared)], available_variables=task_vars
        )
        return templar.template(
            trust_as_template(text), escape_backslashes=False, overrides={"lstrip_blocks": True}
        )
