"""What a preflight needs to know of a host, in one cheap look."""

from __future__ import annotations

DOCUMENTATION = r"""
module: host_survey
short_description: Tells the few facts that preflight checks ask for
description: Reads four small files. Gathering all facts takes a hundred times as long.
author: Streambed
options:
  bundle:
    description: Directory whose entries are reported.
    type: path
    required: true
"""

RETURN = r"""
codename: {description: Debian's code name, type: str, returned: always}
addresses: {description: IPv4 addresses of the host, type: list, returned: always}
memory_mib: {description: Memory of the machine, type: int, returned: always}
bundle: {description: Entries of the bundle, type: list, returned: always}
"""

import json
import os
import re

from ansible.module_utils.basic import AnsibleModule


def codename(os_release: str) -> str:
    match = re.search(r"^VERSION_CODENAME=(\S+)$", os_release, re.MULTILINE)
    return match.group(1) if match else "unknown"


def memory_mib(meminfo: str) -> int:
    match = re.search(r"^MemTotal:\s+(\d+) kB$", meminfo, re.MULTILINE)
    return int(match.group(1)) // 1024 if match else 0


def addresses(ip_json: str) -> list[str]:
    return [a["local"] for link in json.loads(ip_json) for a in link["addr_info"]]


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()


def main() -> None:
    module = AnsibleModule(
        argument_spec={"bundle": {"type": "path", "required": True}}, supports_check_mode=True
    )
    bundle = module.params["bundle"]
    _, ip_json, _ = module.run_command(["ip", "-4", "-json", "address"], check_rc=True)
    module.exit_json(
        codename=codename(_read("/etc/os-release")),
        memory_mib=memory_mib(_read("/proc/meminfo")),
        addresses=addresses(ip_json),
        bundle=sorted(os.listdir(bundle)) if os.path.isdir(bundle) else [],
    )


if __name__ == "__main__":
    main()
