"""What tells whether a part of the jobs' package has changed."""

from infra import stage
from infra.setup import package
from jobs.build import PACKAGE


def test_ingestion_is_made_from_events_ingestion_and_the_package_itself():
    files = [PACKAGE / name for name in ("__init__.py", "events/a.py", "ingest/hfp/b.py")]
    other = PACKAGE / "analytics" / "job.py"
    assert package._part([*files, other], package.PARTS["ingest"]) == files


def test_jobs_are_made_from_events_and_analytics_but_not_from_the_files_of_single_jobs():
    base = [PACKAGE / name for name in ("options.py", "events/a.py", "analytics/driver.py")]
    others = [PACKAGE / "analytics/jobs/flow_direction.py", PACKAGE / "ingest/kafka.py"]
    assert package._part([*base, *others], package.PARTS["jobs"]) == base


def test_a_job_is_told_apart_by_the_content_of_its_own_file(tmp_path):
    local = stage.load("local")
    found = package.job_files(local)
    assert set(found) == {job.name for job in local.jobs}
    assert len({file["digest"] for file in found.values()}) == len(found)


def test_the_archive_is_there_under_the_digest_of_its_content(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = package.package()
    assert made["archive"].startswith(str(tmp_path))
    assert made["digest"] in made["archive"]
    assert made == package.package()
