"""Formats a data volume that is certainly empty, accepts the expected one, refuses every other."""

from __future__ import annotations

DOCUMENTATION = r"""
module: data_volume
short_description: Makes sure that a device holds the filesystem its host owns
description:
  - Formats the device with XFS only if nothing at all is found on it.
  - A device that holds anything else than the expected filesystem is refused and left as it is.
author: Streambed
options:
  device:
    description: The block device.
    type: path
    required: true
  uuid:
    description: The id of the filesystem that belongs to this host.
    type: str
    required: true
  host:
    description: The host's name, for the refusal.
    type: str
    required: true
"""

import os
import stat

from ansible.module_utils.basic import AnsibleModule

NOTHING_FOUND = 2


class Refusal(Exception):
    """A sentence that says why the device is not touched."""


def must_format(found: dict[str, str], *, device: str, uuid: str, host: str) -> bool:
    """Whether the device is empty; raises if it holds what does not belong to the host."""
    if not found:
        return True
    if found.get("UUID", "").lower() == uuid.lower() and found.get("TYPE") == "xfs":
        return False
    kind = found.get("TYPE") or found.get("PTTYPE") or "data"
    raise Refusal(
        f"{host}: {device} holds {kind} with the id {found.get('UUID') or 'none'}, but the volume "
        f"of this host has the id {uuid}. It was not touched: attach the right volume, or wipe "
        f"this one by hand if nobody needs it."
    )


def parse_blkid(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def probe(module: AnsibleModule, device: str, host: str) -> dict[str, str]:
    """What blkid finds, having made sure that it could look at all: its answer is the same for
    an empty device and for one that is missing or cannot be read."""
    try:
        is_block = stat.S_ISBLK(os.stat(device).st_mode)
        with open(device, "rb") as file:
            readable = len(file.read(1 << 20)) == 1 << 20
    except OSError as error:
        raise Refusal(f"{host}: the data volume cannot be read: {error}.") from error
    if not (is_block and readable):
        raise Refusal(f"{host}: {device} is not a block device that a filesystem could be on.")
    code, out, err = module.run_command(["blkid", "--probe", "--output", "export", device])
    if code == NOTHING_FOUND and not out:
        return {}
    if code != 0:
        raise Refusal(f"{host}: blkid cannot tell what is on {device} ({code}): {err.strip()}.")
    return parse_blkid(out)


def main() -> None:
    module = AnsibleModule(
        argument_spec={
            "device": {"type": "path", "required": True},
            "uuid": {"type": "str", "required": True},
            "host": {"type": "str", "required": True},
        },
        supports_check_mode=True,
    )
    device, uuid, host = (module.params[key] for key in ("device", "uuid", "host"))
    try:
        empty = must_format(probe(module, device, host), device=device, uuid=uuid, host=host)
    except Refusal as refusal:
        module.fail_json(msg=str(refusal))
    if empty and not module.check_mode:
        module.run_command(
            ["mkfs.xfs", "-q", "-K", "-m", f"uuid={uuid}", "-L", "streambed", device],
            check_rc=True,
        )
    module.exit_json(changed=empty)


if __name__ == "__main__":
    main()
