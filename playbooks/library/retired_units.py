"""Ends services that a role installed under names which the stage no longer has."""

from __future__ import annotations

DOCUMENTATION = r"""
module: retired_units
short_description: Stops and removes the units of a family that are not wanted any more
author: Streambed
options:
  prefix:
    description: What the names of the family's units begin with.
    type: str
    required: true
  keep:
    description: The rest of the names of those that are wanted.
    type: list
    elements: str
    required: true
  files:
    description: Other files to remove with a unit; C(INSTANCE) stands for the rest of its name.
    type: list
    elements: str
    default: []
"""

RETURN = r"""
retired:
  description: Names of the units that were stopped and removed.
  type: list
  returned: always
"""

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

UNITS = Path("/etc/systemd/system")
HEALTH = Path("/usr/local/lib/streambed/health")


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "prefix": {"type": "str", "required": True},
            "keep": {"type": "list", "elements": "str", "required": True},
            "files": {"type": "list", "elements": "str", "default": []},
        },
        supports_check_mode=True,
    )
    prefix = module.params["prefix"]
    wanted = {f"{prefix}{name}" for name in module.params["keep"]}
    retired = sorted({unit.stem for unit in UNITS.glob(f"{prefix}*.service")} - wanted)
    for name in [] if module.check_mode else retired:
        module.run_command(["systemctl", "disable", "--now", "--quiet", name], check_rc=True)
        (UNITS / f"{name}.service").unlink()
        # Or the health of the host would go on asking for it.
        (HEALTH / f"{name.replace('-', '_')}.py").unlink(missing_ok=True)
        for file in module.params["files"]:
            Path(file.replace("INSTANCE", name.removeprefix(prefix))).unlink(missing_ok=True)
    if retired and not module.check_mode:
        module.run_command(["systemctl", "daemon-reload"], check_rc=True)
    module.exit_json(changed=bool(retired), retired=retired)


if __name__ == "__main__":
    main()
