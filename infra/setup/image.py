"""The image that the lab's hosts boot from: a minimal Debian, finished by playbooks/image.yml.

The playbook is the one that makes images for a cloud; here it runs in a chroot.
"""

import platform
import sys
from pathlib import Path

from infra.setup import apt
from infra.setup.cache import Entry, cached
from infra.setup.chroot import NAMESPACES, in_chroot_of

REPO = Path(__file__).resolve().parents[2]
PLAYBOOKS = REPO / "playbooks"

# What Ansible itself needs; everything else is the playbook's to install.
PACKAGES = "python3,python3-apt"

# Files of the build that no host may inherit: they describe the machine that built the image.
BUILD_SETTINGS = ("etc/apt/apt.conf.d/99mmdebstrap", "etc/dpkg/dpkg.cfg.d/99mmdebstrap")
BUILD_IDENTITY = ("etc/hostname", "etc/resolv.conf", "usr/sbin/policy-rc.d")


def image(playbooks: Path = PLAYBOOKS) -> Path:
    """Return the root file system of the image, building it if its playbook has changed."""
    inputs = [
        *(playbooks / "image.yml", playbooks / "roles/image"),
        *(apt.CODENAME, PACKAGES, platform.machine()),
    ]
    return cached("image", "debian", inputs, lambda entry: _build(entry, playbooks)) / "rootfs"


def _build(entry: Entry, playbooks: Path) -> None:
    rootfs = entry.path / "rootfs"
    _debootstrap(entry, rootfs)
    _run_playbook(entry, rootfs, playbooks)
    for name in (*BUILD_SETTINGS, *BUILD_IDENTITY):
        (rootfs / name).unlink(missing_ok=True)


def _debootstrap(entry: Entry, rootfs: Path) -> None:
    sources = entry.path / "sources.list"
    sources.write_text(apt.debian_sources(log=entry.log))
    settings = entry.path / "apt.conf"
    settings.write_text(apt.fetch_settings())
    entry.run(
        [
            *(*NAMESPACES, "mmdebstrap", "--mode=root", "--variant=apt", f"--include={PACKAGES}"),
            *(f"--aptopt={settings}", '--aptopt=Acquire::Languages "none"'),
            # An interrupted build starts over anyway, so nothing is gained by syncing every file.
            "--dpkgopt=force-unsafe-io",
            *(apt.CODENAME, rootfs, sources),
        ],
        what="Installing a minimal Debian",
        # Temporary files inside the entry: they go with it if the build is interrupted.
        env={"DEBIAN_FRONTEND": "noninteractive", "TMPDIR": str(entry.path)},
    )


def _run_playbook(entry: Entry, rootfs: Path, playbooks: Path) -> None:
    command = [
        *(Path(sys.executable).with_name("ansible-playbook"), "--inventory", f"{rootfs},"),
        *("--connection", "community.general.chroot"),
        # Already root, and sudo comes with the playbook at the earliest.
        *("--extra-vars", "ansible_become=false"),
        playbooks / "image.yml",
    ]
    entry.run(
        in_chroot_of(rootfs, command),
        what="Finishing the image with playbooks/image.yml",
        cwd=REPO,
        env={
            "ANSIBLE_CONFIG": str(playbooks / "ansible.cfg"),
            "ANSIBLE_NOCOLOR": "1",
            "DEBIAN_FRONTEND": "noninteractive",
        },
    )
