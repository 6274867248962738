import os

from rendering import load

action = load("plugins/action/install_tree.py")
module = load("library/install_tree.py")


def file(path, content="x"):
    return {"path": path, "content": content}


def test_files_lie_on_the_host_as_they_lie_in_the_role(tmp_path):
    for name in ("etc/kafka/server.properties.j2", "usr/local/bin/tool"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert [path for _, path in action.walk(tmp_path)] == [
        "/etc/kafka/server.properties",
        "/usr/local/bin/tool",
    ]


def test_scripts_may_be_run_and_secrets_only_be_read_by_their_group():
    secrets = {"/etc/secret": "spark"}
    assert action.permissions("/usr/local/bin/tool", "#!/bin/sh", secrets)["mode"] == "0755"
    assert action.permissions("/etc/hosts", "x", secrets)["mode"] == "0644"
    assert action.permissions("/etc/secret", "x", secrets) == {"group": "spark", "mode": "0640"}


def test_the_digest_follows_configuration_but_not_scripts():
    before = action.digest([file("/etc/a"), file("/usr/local/bin/b")], "")
    assert action.digest([file("/etc/a"), file("/usr/local/bin/b", "new")], "") == before
    assert action.digest([file("/etc/a", "new"), file("/usr/local/bin/b")], "") != before
    assert action.digest([file("/etc/a"), file("/usr/local/bin/b")], "more") != before


def test_a_process_tells_what_it_was_started_with():
    assert module.running_digest(os.getpid()) is None
    assert module.running_digest(1 << 30) is None


def test_a_dry_run_writes_nothing_and_tells_what_it_would(tmp_path):
    tree = module.Tree(dry=True)
    tree.file(str(tmp_path / "new"), "x", "0644", "root")
    tree.link(str(tmp_path / "link"), "new")
    assert tree.written == [str(tmp_path / "new"), str(tmp_path / "link")]
    assert os.listdir(tmp_path) == []


def test_secrets_stay_out_of_diffs(tmp_path):
    tree = module.Tree(dry=True)
    tree.file(str(tmp_path / "secret"), "x", "0640", "root")
    assert tree.written
    assert tree.diffs == []
