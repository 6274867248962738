"""The lab's MQTT broker keeps what it has acknowledged, and lets clients in."""

from deployed import targets

testinfra_hosts = targets("mqtt_broker")


def test_it_listens_on_its_own_address_only(listening, me):
    assert f"{me.address}:1883" in listening


def test_it_lets_clients_in(host):
    assert "lets clients in" in host.check_output("streambed-health mqtt-broker")


def test_nothing_that_waits_for_a_reader_is_dropped(host):
    settings = host.file("/etc/mqtt-broker/mosquitto.conf").content_string.splitlines()
    assert {"max_queued_messages 0", "max_inflight_messages 0", "persistence true"} <= set(settings)


def test_its_sessions_lie_on_the_data_volume(host):
    directory = host.file("/var/lib/streambed/mqtt")
    assert (directory.is_directory, directory.user) == (True, "mqtt")


def test_debians_own_unit_stays_out_of_the_way(host):
    assert not host.service("mosquitto").is_running
