"""The Java programs of the bundle: resolved with Maven, accepted only with the right checksums.

A directory of infra/bundle is a directory under /opt/streambed on the hosts: its pom.xml says
which jars are wanted, its sha256 file says which bytes are acceptable.
Standard library only: the bootstrap asks here whether Maven is needed at all.
"""

import hashlib
from pathlib import Path

from infra.setup.cache import Entry, SetupError, cached, exclusive, is_cached

COMPONENTS = Path(__file__).resolve().parents[1] / "bundle"
COPY_DEPENDENCIES = "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:copy-dependencies"
RELOCK = "python -m infra.setup.bundle --lock"


def components() -> list[Path]:
    return sorted(pom.parent for pom in COMPONENTS.glob("*/pom.xml"))


def jars(component: Path) -> Path:
    """Return a directory with the component's verified jars in `lib`."""

    def build(entry: Entry) -> None:
        resolve(component, entry)
        verify(component, entry.path / "lib")

    return cached("jars", component.name, _inputs(component), build)


def maven_is_needed() -> bool:
    """Whether any component is still to be resolved."""
    return not all(is_cached("jars", each.name, _inputs(each)) for each in components())


def resolve(component: Path, entry: Entry) -> None:
    """Let Maven put the component's jars into the entry's `lib`."""
    # Maven 3 does not lock its local repository: two of ours at once could spoil it.
    with exclusive("jars", "maven"):
        entry.run(
            [
                *("mvn", "--batch-mode", "--no-transfer-progress", "--strict-checksums"),
                *("--file", component / "pom.xml", COPY_DEPENDENCIES),
                *("-DincludeScope=runtime", f"-DoutputDirectory={entry.path / 'lib'}"),
            ],
            what=f"Resolving the jars of {component.name} with Maven",
        )


def verify(component: Path, lib: Path) -> None:
    """Refuse a directory of jars that is not exactly what the component's sha256 file lists."""
    listed = component / "sha256"
    expected = read_sums(listed)
    found = sums(lib)
    for name in sorted(expected.keys() | found.keys()):
        where = f"{component.name}: {name}"
        if name not in found:
            raise SetupError(
                f"{where} is listed in {listed} but Maven did not bring it: check pom.xml there,"
                f" or accept the change with `{RELOCK}`."
            )
        if name not in expected:
            raise SetupError(
                f"{where} came from Maven but is not listed in {listed}: check pom.xml there,"
                f" or accept the change with `{RELOCK}`."
            )
        if found[name] != expected[name]:
            raise SetupError(
                f"{where} has SHA-256 {found[name]} where {listed} expects {expected[name]}:"
                " do not use it; remove it from Maven's local repository and run again, and if it"
                f" comes back the same and you trust it, accept it with `{RELOCK}`."
            )


def read_sums(path: Path) -> dict[str, str]:
    """Read `<sha256>  <file>` lines, the format of sha256sum."""
    if not path.exists():
        raise SetupError(f"{path} is missing: write it with `{RELOCK}`.")
    lines = [line.split() for line in path.read_text().splitlines()]
    if any(len(words) != 2 for words in lines):
        raise SetupError(
            f"{path} must hold `<sha256>  <file>` lines and nothing else:"
            f" restore it, or write it anew with `{RELOCK}`."
        )
    return {name: value for value, name in lines}


def write_sums(path: Path, lib: Path) -> None:
    path.write_text("".join(f"{value}  {name}\n" for name, value in sums(lib).items()))


def sums(lib: Path) -> dict[str, str]:
    return {jar.name: hashlib.sha256(jar.read_bytes()).hexdigest() for jar in sorted(lib.iterdir())}


def _inputs(component: Path) -> list[str | Path]:
    return [component, COPY_DEPENDENCIES]
