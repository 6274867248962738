"""The package is one file that Python imports, the same bytes from the same sources."""

import subprocess
import sys
import zipfile

from jobs.build import build_package, sources


def test_the_same_sources_make_the_same_bytes(tmp_path):
    one, other = (build_package(tmp_path / name).read_bytes() for name in ("a.zip", "b.zip"))
    assert one == other


def test_the_package_is_imported_from_the_zip_alone(tmp_path):
    package = build_package(tmp_path / "streambed.zip")
    code = "from streambed.events import VehiclePosition, codec; print(codec.__file__)"
    answer = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": str(package)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.startswith(str(package))


def test_generated_code_is_in_the_package_but_no_source_of_it(tmp_path):
    names = zipfile.ZipFile(build_package(tmp_path / "streambed.zip")).namelist()
    assert "streambed/events/event_pb2.py" in names
    assert "event_pb2.py" not in [path.name for path in sources()]
