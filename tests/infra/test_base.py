"""Every host is itself, knows its peers, and keeps its data on its own volume."""

from deployed import targets, topology

testinfra_hosts = targets()


def test_the_host_has_its_own_name_and_address(host, me):
    assert host.check_output("hostname") == me.name
    assert f" {me.address}/" in host.check_output("ip -4 address show scope global")


def test_the_host_knows_every_peer_by_name(host):
    lines = host.file("/etc/hosts").content_string.split("\n")
    known = {tuple(line.split()[:2]) for line in lines if line and not line.startswith("#")}
    assert {(peer.address, peer.name) for peer in topology().hosts} <= known


def test_no_unit_has_failed(host):
    assert host.check_output("systemctl --failed --plain --no-legend") == ""


def test_the_data_volume_is_mounted_by_the_id_of_this_host(host, me):
    mount = host.mount_point("/var/lib/streambed")
    assert mount.exists == bool(me.data)
    if me.data is None:
        return
    assert mount.filesystem == "xfs"
    assert host.check_output("blkid -o value -s UUID %s", me.data.device) == me.data.uuid


def test_passwords_open_nothing(host):
    settings = host.check_output("sshd -T").splitlines()
    assert "passwordauthentication no" in settings
    assert "kbdinteractiveauthentication no" in settings


def test_the_journal_is_bounded(host):
    settings = host.check_output("systemd-analyze cat-config systemd/journald.conf").splitlines()
    assert any(line.startswith("SystemMaxUse=") for line in settings)


def test_the_bundle_is_there_and_nobody_but_root_may_change_it(host):
    bundle = host.file("/opt/streambed")
    assert bundle.is_directory
    assert (bundle.user, bundle.mode & 0o022) == ("root", 0)


JOBS_NEED = [
    "pyspark",
    "pyarrow",
    "pandas",
    "google.protobuf",
    "h3",
    "kazoo",
    "confluent_kafka",
    "kafka",
    "orjson",
    "paho.mqtt",
    "prometheus_client",
    "zstandard",
]


def test_the_python_environment_of_the_jobs_is_whole(host):
    python = "/opt/streambed/python/bin/python3"
    missing = f"[p for p in {JOBS_NEED} if not find_spec(p)]"
    program = f"from importlib.util import find_spec; print({missing})"
    assert host.check_output("%s -c %s", python, program) == "[]"
    assert host.check_output("%s --version", python).startswith("Python 3.11.")


def test_nothing_listens_on_every_address_but_ssh(host, listening):
    everywhere = {at for at in listening if at.startswith(("0.0.0.0:", "*:", "[::]:"))}
    assert {at.rpartition(":")[2] for at in everywhere} <= {"22"}
