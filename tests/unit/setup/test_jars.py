import hashlib

import pytest

from infra.setup import jars
from infra.setup.cache import SetupError


@pytest.fixture
def component(tmp_path):
    directory = tmp_path / "thing-1.0"
    directory.mkdir()
    return directory


@pytest.fixture
def lib(tmp_path, component):
    """Two jars whose sums the component lists."""
    directory = tmp_path / "lib"
    directory.mkdir()
    for name in ("a.jar", "b.jar"):
        (directory / name).write_text(name)
    jars.write_sums(component / "sha256", directory)
    return directory


def test_the_listed_jars_are_accepted(component, lib):
    jars.verify(component, lib)


def test_sums_are_in_the_format_of_sha256sum(component, lib):
    first = (component / "sha256").read_text().splitlines()[0]
    assert first == f"{hashlib.sha256(b'a.jar').hexdigest()}  a.jar"


def test_a_wrong_jar_is_named_with_both_sums(component, lib):
    (lib / "b.jar").write_text("tampered")
    with pytest.raises(SetupError) as failure:
        jars.verify(component, lib)
    sentence = str(failure.value)
    assert sentence.startswith("thing-1.0: b.jar has SHA-256")
    assert hashlib.sha256(b"tampered").hexdigest() in sentence
    assert hashlib.sha256(b"b.jar").hexdigest() in sentence
    assert "do not use it" in sentence


def test_a_missing_jar_is_named(component, lib):
    (lib / "a.jar").unlink()
    with pytest.raises(SetupError, match=r"thing-1\.0: a\.jar is listed .* did not bring it"):
        jars.verify(component, lib)


def test_an_unexpected_jar_is_named(component, lib):
    (lib / "c.jar").touch()
    with pytest.raises(SetupError, match=r"thing-1\.0: c\.jar came from Maven but is not listed"):
        jars.verify(component, lib)


def test_a_component_without_sums_says_how_to_write_them(component, lib):
    (component / "sha256").unlink()
    with pytest.raises(SetupError, match="--lock"):
        jars.verify(component, lib)


def test_a_mangled_list_of_sums_is_named(component, lib):
    (component / "sha256").write_text("<<<<<<< ours and theirs\n")
    with pytest.raises(SetupError, match=r"thing-1\.0/sha256 must hold"):
        jars.verify(component, lib)


@pytest.mark.parametrize("component", jars.components(), ids=lambda path: path.name)
def test_every_component_of_the_bundle_lists_its_sums(component):
    listed = jars.read_sums(component / "sha256")
    assert listed
    assert all(len(value) == 64 and name.endswith(".jar") for name, value in listed.items())
