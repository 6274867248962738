import multiprocessing
import os
import signal
import time
from pathlib import Path

import pytest

from infra.setup import cache
from infra.setup.cache import SetupError, cached, digest, is_cached

# A process of its own, as builders in two clones are; not a copy of pytest.
processes = multiprocessing.get_context("spawn")


def write(content):
    return lambda entry: (entry.path / "result").write_text(content)


def test_an_entry_is_built_once_and_named_by_its_inputs(cache_home):
    first = cached("kind", "name", ["input"], write("first"))
    again = cached("kind", "name", ["input"], write("again"))
    other = cached("kind", "name", ["other input"], write("other"))

    assert first == again != other
    assert (first / "result").read_text() == "first"
    assert first.parent == cache_home / "kind"
    assert first.name == f"name-{digest(['input'])}"


def test_a_failed_build_leaves_no_entry_and_the_next_one_starts_clean():
    def fail(entry):
        (entry.path / "half").touch()
        raise SetupError("no luck")

    with pytest.raises(SetupError):
        cached("kind", "name", ["input"], fail)
    assert not is_cached("kind", "name", ["input"])

    path = cached("kind", "name", ["input"], write("whole"))
    assert not (path / "half").exists()
    assert (path / "result").read_text() == "whole"


def build_slowly(started, cache_home):
    os.environ["XDG_CACHE_HOME"] = str(cache_home.parent)

    def build(entry):
        (entry.path / "half").touch()
        started.set()
        entry.run(["sleep", "60"], what="Sleeping")

    cached("kind", "name", ["input"], build)


def test_a_killed_builder_takes_its_programs_along_and_its_remains_are_wiped(cache_home):
    started = processes.Event()
    builder = processes.Process(target=build_slowly, args=(started, cache_home))
    builder.start()
    assert started.wait(10)
    log = cache.entry_path("kind", "name", ["input"]).with_suffix(".log")
    while not log.exists():  # until its program runs
        time.sleep(0.01)
    os.kill(builder.pid, signal.SIGKILL)
    builder.join()

    start = time.monotonic()
    path = cached("kind", "name", ["input"], write("whole"))
    assert time.monotonic() - start < 10, "the sleeping program still held the lock"
    assert not (path / "half").exists()


def build_and_count(barrier, cache_home, counter):
    os.environ["XDG_CACHE_HOME"] = str(cache_home.parent)

    def build(entry):
        with counter.open("a") as file:
            file.write("built\n")
        time.sleep(0.3)

    barrier.wait(10)
    cached("kind", "name", ["input"], build)


def test_of_two_builders_at_once_one_builds_and_the_other_waits(cache_home, tmp_path):
    counter = tmp_path / "counter"
    barrier = processes.Barrier(2)
    builders = [
        processes.Process(target=build_and_count, args=(barrier, cache_home, counter))
        for _ in range(2)
    ]
    for builder in builders:
        builder.start()
    for builder in builders:
        builder.join()

    assert [builder.exitcode for builder in builders] == [0, 0]
    assert counter.read_text() == "built\n"


def test_a_digest_sees_words_names_and_contents(tmp_path):
    def tree(name, content):
        directory = tmp_path / name
        directory.mkdir(parents=True)
        (directory / "file").write_text(content)
        return directory

    assert digest([tree("a/x", "same")]) == digest([tree("b/x", "same")])
    assert digest([tree("c/x", "same")]) != digest([tree("d/x", "other")])
    assert digest([tree("e/x", "same")]) != digest([tree("e/y", "same")])
    assert digest(["a", "b"]) != digest(["ab"])


def test_nothing_is_wiped_through_a_mount(tmp_path, monkeypatch):
    entry = tmp_path / "entry"
    mounted = entry / "rootfs" / "dev"
    mounted.mkdir(parents=True)
    monkeypatch.setattr(cache, "_mount_points", lambda: [Path("/"), mounted])

    with pytest.raises(SetupError, match=f"{mounted} is mounted in it: unmount it"):
        cache.wipe(entry)
    assert mounted.exists()
