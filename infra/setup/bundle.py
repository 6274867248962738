"""The bundle: everything a host runs that is not a Debian package, as one read-only tree.

The tree is `<entry>/tree/opt/streambed/...`; the lab lays it under its hosts as an overlay
layer. Its parts are cached each on their own and linked together here, so that changing one
rebuilds one.

    python -m infra.setup.bundle          build it and print its path
    python -m infra.setup.bundle --lock   resolve all jars anew and accept their checksums
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from infra.setup import jars, tools
from infra.setup.cache import MARKER, Entry, SetupError, cache_root, cached
from infra.setup.hosts_python import HOME as PYTHON_HOME
from infra.setup.hosts_python import SITE_PACKAGES, hosts_python
from infra.setup.side_by_side import side_by_side

SPARK_VERSION = "4.2.0"


def bundle() -> Path:
    """Return the root of the bundle's tree, building what is missing side by side."""
    built = side_by_side(java=_java, python=hosts_python, gateway=tools.versitygw)
    parts = built["java"] | {
        f"versitygw-{tools.VERSITYGW_VERSION}": built["gateway"],
        PYTHON_HOME.name: built["python"],
    }
    # A part's entry is named by the hash of what it is made from, so names stand for contents.
    names = [f"{name}={part.relative_to(cache_root())}" for name, part in sorted(parts.items())]
    return cached("bundle", "bundle", names, lambda entry: _assemble(entry, parts)) / "tree"


def _java() -> dict[str, Path]:
    return {component.name: jars.jars(component) for component in jars.components()}


def _assemble(entry: Entry, parts: dict[str, Path]) -> None:
    home = entry.path / "tree" / PYTHON_HOME.parent.relative_to("/")
    for name, part in parts.items():
        # Hard links: the tree costs no space besides its parts.
        unmarked = shutil.ignore_patterns(MARKER)
        shutil.copytree(part, home / name, symlinks=True, copy_function=os.link, ignore=unmarked)
    spark = Path(PYTHON_HOME.name) / SITE_PACKAGES / "pyspark"
    (home / f"spark-{SPARK_VERSION}").symlink_to(spark)


def lock() -> None:
    """Write every component's sha256 file from a fresh resolve."""
    for component in jars.components():
        with tempfile.TemporaryDirectory() as scratch:
            entry = Entry(Path(scratch) / component.name)
            jars.resolve(component, entry)
            jars.write_sums(component / "sha256", entry.path / "lib")
        print(f"{component.name}: sha256 sums written.")


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the bundle and print where it is.")
    parser.add_argument("--lock", action="store_true", help="accept the checksums of all jars")
    try:
        if parser.parse_args().lock:
            lock()
        else:
            print(bundle())
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
