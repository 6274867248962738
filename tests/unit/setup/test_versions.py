import pytest

from infra.setup.tools import fits
from infra.setup.versions import at_least, parse


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("go version go1.25.11 linux/amd64", (1, 25, 11)),
        ('openjdk version "17.0.15" 2025-04-15', (17, 0, 15)),
        ("v3.259.0", (3, 259, 0)),
        ("nothing of the kind", ()),
    ],
)
def test_versions_are_found_in_what_programs_say(said, version):
    assert parse(said) == version


def test_versions_are_compared_as_numbers():
    assert at_least("go1.26.1", "1.25.11")
    assert not at_least("go1.9", "1.25.11")
    assert not at_least("nothing of the kind", "1")


@pytest.mark.parametrize(
    ("version", "verdict"),
    [("v3.259.0", True), ("v3.300.1", True), ("v3.258.9", False), ("v4.0.0", False), ("", False)],
)
def test_an_installed_pulumi_fits_if_it_is_a_3_of_at_least_our_version(version, verdict):
    assert fits(version) is verdict
