"""What an ingest host is given to run."""

import pytest
import yaml
from rendering import Host

ENTRY = "ingest/templates/etc/ingest/INSTANCE.yml.j2"
UNITS = [
    ("edge-1", "ingest/templates/etc/systemd/system/ingest-INSTANCE.service.j2"),
    ("store-1", "mqtt_broker/templates/etc/systemd/system/mqtt-broker.service.j2"),
    ("store-1", "fleet/templates/etc/systemd/system/fleet.service.j2"),
]


def edge(name: str = "edge-1", **entry) -> Host:
    host = Host(name)
    return Host(name, ingest_entry=host.variable("ingest_entries[0]") | entry)


def config(host: Host) -> dict:
    return yaml.safe_load(host.file(ENTRY))


@pytest.mark.parametrize(("name", "unit"), UNITS)
def test_the_units_are_hardened_and_carry_their_digest(name, unit):
    lines = Host(name, ingest_entry=Host("edge-1").variable("ingest_entries[0]")).file(unit)
    assert "Environment=STREAMBED_CONFIG=@STREAMBED_CONFIG@" in lines
    assert "ProtectSystem=strict" in lines


def test_hosts_share_a_subscription_under_names_of_their_own():
    first, second = (config(edge(name))["connector"] for name in ("edge-1", "edge-2"))
    assert first["group"] == second["group"] == "hfp"
    assert (first["client_id"], second["client_id"]) == ("hfp-edge-1", "hfp-edge-2")
    assert first["host"] == "10.0.5.1", "the stage's own broker"


def test_what_the_stage_says_of_a_connector_counts():
    connector = {"name": "mqtt", "host": "mqtt.example", "topics": ["/x"], "group": "ours"}
    found = config(edge(connector=connector))["connector"]
    assert found == connector | {"client_id": "hfp-edge-1"}


def test_a_recording_needs_no_broker():
    connector = {"name": "recording", "source": "s3://streambed/recordings/"}
    assert config(edge(connector=connector))["connector"] == connector


def test_events_go_to_every_broker_in_the_wire_mode_of_the_stage():
    found = config(edge())
    assert found["kafka"]["bootstrap"].count(":9092") == 5
    assert (found["wire"], found["processor"]["modes"]) == ("json", ["bus"])
    assert found["metrics"] == {"port": 9110, "address": "10.0.4.1"}


def test_the_bucket_is_opened_with_its_keys():
    environment = edge().file("ingest/templates/etc/ingest/INSTANCE.environment.j2")
    assert "AWS_ENDPOINT_URL=http://10.0.5.1:7070" in environment
    assert "AWS_SECRET_ACCESS_KEY=secret" in environment


@pytest.fixture
def health():
    source = edge().file("ingest/templates/usr/local/lib/streambed/health/ingest_INSTANCE.py.j2")
    names: dict = {}
    exec(source, names)
    return names["judge"]


def metrics(*, in_flight: int, last_settled: float) -> str:
    return (
        "streambed_ingest_received_total 10.0\nstreambed_ingest_acknowledged_total 9.0\n"
        f"streambed_ingest_settled_total 9.0\nstreambed_ingest_in_flight {in_flight}\n"
        f"streambed_ingest_last_settled_timestamp_seconds {last_settled}\n"
    )


def test_an_ingestion_that_waits_for_its_source_is_well(health):
    assert "10 received" in health(metrics(in_flight=0, last_settled=100), 1000)


def test_an_ingestion_whose_records_kafka_does_not_take_is_not(health):
    with pytest.raises(RuntimeError, match="acknowledged nothing for 900 s"):
        health(metrics(in_flight=5, last_settled=100), 1000)
