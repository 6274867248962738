"""What tells whether a part of the jobs' package has changed."""

from infra.setup import package
from jobs.build import PACKAGE


def test_ingestion_is_made_from_events_ingestion_and_the_package_itself():
    files = [PACKAGE / name for name in ("__init__.py", "events/a.py", "ingest/hfp/b.py")]
    other = PACKAGE / "analytics" / "job.py"
    assert package._part([*files, other], package.PARTS["ingest"]) == files


def test_the_archive_is_there_under_the_digest_of_its_content(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = package.package()
    assert made["archive"].startswith(str(tmp_path))
    assert made["digest"] in made["archive"]
    assert made == package.package()
