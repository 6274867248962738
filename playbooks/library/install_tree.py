"""The host's half of install_tree: writes what differs, starts what does not run."""

from __future__ import annotations

DOCUMENTATION = r"""
module: install_tree
short_description: Installs a role's files and templates, and starts the service they are for
description:
  - Renders everything under the role's C(files) and C(templates), which mirror the host's root, and
    installs what differs in one round trip. Links stay links.
  - All files but those under C(/usr/local) make up the digest that replaces C(@STREAMBED_CONFIG@)
    in the unit. Scripts get the mode 0755, files named in O(secrets) 0640, all others 0644.
  - A service that does not run is enabled and started. One that runs with another
    digest than its unit carries is left alone and reported as RV(restart), for the play to roll.
author: Streambed
options:
  from:
    description: Directories of the role to install from.
    type: list
    elements: str
    default: [files, templates]
  directories:
    description: Directories to make, each with C(path) and C(owner). Their mode is 0750.
    type: list
    elements: dict
    default: []
  secrets:
    description: Files that only root and the named group may read.
    type: dict
    default: {}
  prepare:
    description: A C(command) to run before the service starts, unless the path C(creates) exists.
    type: dict
  service:
    description: The unit to enable and start.
    type: str
  wait:
    description: Whether to wait until the unit has started.
    type: bool
    default: false
  instance:
    description: What the word C(INSTANCE) stands for in all these paths.
    type: str
  live:
    description: Files that the process reads again when they change, no part of its digest.
    type: list
    elements: str
    default: []
  also:
    description: What else the service's process runs with, to be part of its digest.
    type: str
    default: ""
"""

RETURN = r"""
files:
  description: Paths of files, links and directories that were written.
  type: list
  returned: always
digest:
  description: Digest of the configuration.
  type: str
  returned: always
started:
  description: Whether the service did not run and was started.
  type: bool
  returned: always
restart:
  description: Whether the service's process runs with another configuration than the installed one.
  type: bool
  returned: always
"""

import grp
import os
import pwd
import stat
import tempfile

from ansible.module_utils.basic import AnsibleModule

UNITS = "/etc/systemd/system"


class Tree:
    """Writes to the host, or only notes what would be written."""

    def __init__(self, dry: bool) -> None:
        self.dry = dry
        self.written: list[str] = []
        self.diffs: list[dict[str, str]] = []

    def directory(self, path: str, owner: str) -> None:
        ids = (_uid(owner), _gid(owner))
        if os.path.isdir(path) and _has(path, 0o750, ids):
            return
        self.written.append(path)
        if not self.dry:
            os.makedirs(path, exist_ok=True)
            os.chown(path, *ids)
            os.chmod(path, 0o750)

    def file(self, path: str, content: str, mode: str, group: str) -> None:
        bits, ids = int(mode, 8), (0, _gid(group))
        before = _read(path)
        if before == content and _has(path, bits, ids):
            return
        self.written.append(path)
        if bits & 0o004:  # what not everybody may read must not show up in a diff
            self.diffs.append(
                {
                    "before_header": path,
                    "before": before or "",
                    "after_header": path,
                    "after": content,
                }
            )
        if not self.dry:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
            with os.fdopen(handle, "w") as file:
                os.fchown(handle, *ids)
                os.fchmod(handle, bits)
                file.write(content)
            _move(temporary, path)

    def link(self, path: str, target: str) -> None:
        if os.path.islink(path) and os.readlink(path) == target:
            return
        self.written.append(path)
        if not self.dry:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            temporary = tempfile.mktemp(dir=os.path.dirname(path))
            os.symlink(target, temporary)
            _move(temporary, path)


def _move(temporary: str, path: str) -> None:
    try:
        os.replace(temporary, path)
    except OSError:  # /etc/hosts and its like may be mount points, which cannot be replaced
        with open(temporary) as source, open(path, "w") as target:
            target.write(source.read())
        os.unlink(temporary)


def _uid(name: str) -> int:
    return pwd.getpwnam(name).pw_uid


def _gid(name: str) -> int:
    return grp.getgrnam(name).gr_gid


def _read(path: str) -> str | None:
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return None


def _has(path: str, mode: int, ids: tuple[int, int]) -> bool:
    found = os.stat(path)
    return stat.S_IMODE(found.st_mode) == mode and (found.st_uid, found.st_gid) == ids


def running_digest(pid: int) -> str | None:
    """The configuration a process was started with, as its environment tells."""
    environment = _read(f"/proc/{pid}/environ") or ""
    for variable in environment.split("\0"):
        name, _, value = variable.partition("=")
        if name == "STREAMBED_CONFIG":
            return value
    return None


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "directories": {"type": "list", "elements": "dict", "default": []},
            "files": {"type": "list", "elements": "dict", "default": []},
            "links": {"type": "list", "elements": "dict", "default": []},
            "prepare": {"type": "dict"},
            "service": {"type": "str"},
            "wait": {"type": "bool", "default": False},
            "digest": {"type": "str", "required": True},
        },
        supports_check_mode=True,
    )
    service = module.params["service"]
    tree = Tree(dry=module.check_mode)
    for directory in module.params["directories"]:
        tree.directory(**directory)
    for file in module.params["files"]:
        tree.file(**file)
    for link in module.params["links"]:
        tree.link(**link)

    def systemctl(*arguments: str) -> str:
        return module.run_command(["systemctl", *arguments], check_rc=True)[1]

    if any(path.startswith(UNITS) for path in tree.written) and not module.check_mode:
        systemctl("daemon-reload")

    prepare = module.params["prepare"]
    prepared = bool(prepare) and not os.path.exists(prepare["creates"])
    if prepared and not module.check_mode:
        module.run_command(prepare["command"], check_rc=True)

    started = restart = False
    if service:
        state = dict(
            line.split("=", 1)
            for line in systemctl(
                "show", "--property=ActiveState,MainPID,UnitFileState", service
            ).splitlines()
        )
        started = (
            state["ActiveState"] in ("inactive", "failed") or state["UnitFileState"] != "enabled"
        )
        if started and not module.check_mode:
            patience = [] if module.params["wait"] else ["--no-block"]
            systemctl("enable", "--now", "--quiet", *patience, service)
        pid = int(state["MainPID"])
        restart = pid > 0 and running_digest(pid) != module.params["digest"]

    module.exit_json(
        changed=bool(tree.written) or prepared or started,
        files=tree.written,
        digest=module.params["digest"],
        started=started,
        restart=restart,
        diff=tree.diffs,
    )


if __name__ == "__main__":
    main()
