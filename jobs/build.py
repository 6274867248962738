"""Make what runs on the clusters: the package `streambed`, with the code of its schema generated.

    python -m jobs.build                   generate the schema's code in the tree, for development
    python -m jobs.build streambed.zip     make the one file that hosts and Spark import

The zip depends on nothing but the sources: the same sources make the same bytes, so its digest
tells whether jobs have to be restarted. Generated code is never committed.
"""

import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

JOBS = Path(__file__).resolve().parent
PACKAGE = JOBS / "streambed"
SCHEMA = tuple(sorted((PACKAGE / "events").glob("*.proto")))

# Zip files cannot tell an older date, and any fixed one will do.
DATE = (1980, 1, 1, 0, 0, 0)


class BuildError(Exception):
    """Its message is one sentence for the user."""


def sources() -> list[Path]:
    """Everything that the package is made from, without what is generated."""
    generated = {file.name for file in _generated_files(PACKAGE)}
    return sorted(
        path
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.name not in generated
    )


def generate_schema(package: Path = PACKAGE) -> None:
    """Write the code of the schema into a package, unless it is newer than the schema."""
    newest_schema = max(path.stat().st_mtime for path in SCHEMA)
    files = _generated_files(package)
    if all(file.exists() and file.stat().st_mtime >= newest_schema for file in files):
        return
    with TemporaryDirectory(dir=package.parent, prefix=".schema-") as scratch:
        _run_protoc(Path(scratch))
        for file in files:
            # Renamed into place, so that a test run beside this one never reads half a file.
            (Path(scratch) / file.relative_to(package.parent)).rename(file)


def build_package(destination: Path) -> Path:
    """Make `destination`, a zip that Python and Spark import `streambed` from."""
    with TemporaryDirectory() as scratch:
        _run_protoc(Path(scratch))
        content = {path.relative_to(JOBS): path.read_bytes() for path in sources()}
        for file in _generated_files(Path(scratch) / "streambed"):
            content[file.relative_to(scratch)] = file.read_bytes()
    with zipfile.ZipFile(destination, "w", zipfile.ZIP_DEFLATED) as package:
        for name in sorted(content):
            entry = zipfile.ZipInfo(str(name), DATE)
            entry.external_attr = 0o644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            package.writestr(entry, content[name])
    return destination


def _generated_files(package: Path) -> list[Path]:
    return [package / "events" / f"{path.stem}_pb2.py" for path in SCHEMA]


def _run_protoc(destination: Path) -> None:
    # Here, because hosts import this package without a compiler at hand.
    import grpc_tools
    from grpc_tools import protoc

    well_known = Path(grpc_tools.__file__).parent / "_proto"
    files = [str(path.relative_to(JOBS)) for path in SCHEMA]
    options = [f"-I{JOBS}", f"-I{well_known}", f"--python_out={destination}"]
    if protoc.main(["protoc", *options, *files]) != 0:
        raise BuildError(f"protoc could not compile the schema in {PACKAGE / 'events'}: see above.")


def main() -> int:
    try:
        if len(sys.argv) > 1:
            print(build_package(Path(sys.argv[1])))
        else:
            generate_schema()
    except BuildError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
