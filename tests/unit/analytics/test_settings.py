"""The configuration of an application: what a running driver can take up."""

import pytest
import yaml
from streambed.analytics.settings import load
from streambed.options import OptionError

WRITTEN = {
    "application": "analytics",
    "address": "127.0.0.1",
    "metrics_port": 9120,
    "bootstrap": "127.0.0.1:9092",
    "zookeeper": "127.0.0.1:2181",
    "bucket": {"name": "b"},
    "package": "one",
    "jobs": [{"name": "pass-through", "file": "/jobs/pass-through-1.py"}],
}


@pytest.fixture
def configured(tmp_path):
    def write(**changed):
        file = tmp_path / "analytics.yml"
        file.write_text(yaml.safe_dump(WRITTEN | changed))
        return load(file)

    return write


def test_other_jobs_can_be_taken_up(configured):
    changed = configured(jobs=[{"name": "pass-through", "file": "/jobs/pass-through-2.py"}])
    assert configured().differs_in_jobs_alone(changed)


def test_jobs_written_for_another_edition_of_the_code_are_left_to_another_driver(configured):
    changed = configured(jobs=[], package="two")
    assert not configured().differs_in_jobs_alone(changed)


def test_an_unknown_key_is_told_with_the_file_it_is_in(configured):
    with pytest.raises(OptionError, match=r"analytics\.yml.*wires"):
        configured(wires="json")
