"""The hosts' Python environment: a virtual environment of Debian's own python3.11, Spark included.

It is made under the path it will have on the hosts, inside a cache entry, and refers to nothing
on the machine that made it.
"""

import platform
import shutil
import sys
import sysconfig
from pathlib import Path

from infra.setup.cache import Entry, cached

LOCK = Path(__file__).resolve().parents[2] / "requirements-hosts.lock"
INTERPRETER = "/usr/bin/python3.11"
HOME = Path("/opt/streambed/python")
SITE_PACKAGES = Path("lib/python3.11/site-packages")

# Test suites and C headers: a quarter of the files, and no code on a host imports them.
# Packages that merely happen to have a `tests` directory are left as they are.
UNUSED = (
    "bin/[Aa]ctivate*",
    f"{SITE_PACKAGES}/pandas/tests",
    f"{SITE_PACKAGES}/pyarrow/tests",
    f"{SITE_PACKAGES}/pyarrow/include",
    f"{SITE_PACKAGES}/pyspark/examples",
    f"{SITE_PACKAGES}/pyspark/tests",
)


def hosts_python() -> Path:
    """Return the environment's directory; on a host it is /opt/streambed/python."""
    inputs = [LOCK, INTERPRETER, str(HOME), platform.machine(), *UNUSED]
    return cached("python", "hosts", inputs, _build) / HOME.relative_to("/")


def _build(entry: Entry) -> None:
    what = f"Making the hosts' Python environment of {LOCK.name}"
    root = entry.path / HOME.relative_to("/")
    entry.run([INTERPRETER, "-m", "venv", "--without-pip", root], what=what)

    tools = entry.path / "build-tools"
    _lend_build_tools(tools)
    entry.run(
        [
            *(sys.executable, "-m", "pip", "--python", root / "bin/python3", "install"),
            *("--no-input", "--disable-pip-version-check", "--require-hashes", "--no-compile"),
            *("--no-build-isolation", "--requirement", LOCK),
        ],
        what=what,
        env={"PYTHONPATH": str(tools)},
    )
    shutil.rmtree(tools)

    _forget_build_path(root)
    for pattern in UNUSED:
        for path in root.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    # Hosts mount this read-only and could never write bytecode. It is trusted as it is
    # (unchecked), so that no copy or unpacking that loses timestamps makes it worthless.
    entry.run(
        [
            *(INTERPRETER, "-m", "compileall", "-q", "-j", "0"),
            *("--invalidation-mode", "unchecked-hash", "-s", entry.path, "-p", "/"),
            root / SITE_PACKAGES,
        ],
        what=what,
    )


def _lend_build_tools(directory: Path) -> None:
    """Show the control machine's setuptools and wheel, and nothing else of it, to the build.

    pyspark comes as a source archive, and a build environment of pip's own making would
    fetch these two unpinned.
    """
    directory.mkdir()
    ours = Path(sysconfig.get_path("purelib"))
    for name in ("setuptools", "wheel", "packaging", "_distutils_hack"):
        for path in ours.glob(f"{name}*"):
            (directory / path.name).symlink_to(path)


def _forget_build_path(root: Path) -> None:
    """Make scripts and settings refer to the place on the hosts."""
    cfg = root / "pyvenv.cfg"
    lines = cfg.read_text().splitlines(keepends=True)
    cfg.write_text("".join(line for line in lines if not line.startswith("command")))
    for script in (root / "bin").iterdir():
        if script.is_file() and not script.is_symlink():
            content = script.read_bytes()
            if content.startswith(b"#!"):
                script.write_bytes(content.replace(bytes(root), bytes(HOME)))
