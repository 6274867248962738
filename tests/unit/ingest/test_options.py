"""What is wrong with a configuration is told in a sentence, and anything good is found by name."""

from importlib.metadata import EntryPoint

import pytest
import yaml
from fakes import FakeConnector
from streambed.ingest import cli, config, registry
from streambed.ingest.connectors.console import ConsoleConnector
from streambed.ingest.registry import make_connector, make_processor
from streambed.options import OptionError

GOOD = {
    "connector": {"name": "recording", "source": "/x.jsonl"},
    "processor": "hfp",
    "kafka": {"bootstrap": "127.0.0.1:9092", "tuning": {"compression.type": "zstd"}},
    "wire": "json",
    "metrics": {"port": 9108},
}


def complaint(**changes) -> str:
    with pytest.raises(OptionError) as error:
        config.parse({**GOOD, **changes}, where="ingest.yml")
    return str(error.value)


def test_a_configuration_is_read_with_its_defaults(tmp_path):
    file = tmp_path / "ingest.yml"
    file.write_text(yaml.safe_dump(GOOD))
    settings = config.load(file)
    assert settings.connector == config.Named("recording", {"source": "/x.jsonl"})
    assert settings.processor == config.Named("hfp")
    assert settings.wire == "json"
    assert settings.dead_letter_topic == "input.dead-letter"
    assert settings.metrics.address == "127.0.0.1"


def test_a_wrong_configuration_is_told_in_a_sentence():
    assert "wire: must be binary or json; found 'xml'" in complaint(wire="xml")
    assert "kafka: bootstrap: is missing" in complaint(kafka={})
    assert "did you mean 'bootstrap'?" in complaint(kafka={"bootstrp": "x"})
    assert "port: must be a whole number; found 'high'" in complaint(metrics={"port": "high"})
    assert "connector: name: is missing; say which connector" in complaint(connector={})
    assert "did you mean 'wire'?" in complaint(wir="json")
    assert "a mapping of keys is needed, found 3" in complaint(kafka=3)


def test_a_connector_is_found_by_name():
    assert isinstance(make_connector("console", {}), ConsoleConnector)


@pytest.mark.parametrize(
    ("name", "options", "sentence"),
    [
        ("amqp", {}, "There is no connector 'amqp'; known: console, mqtt, recording."),
        ("recording", {}, "connector recording: source: is missing"),
        ("recording", {"source": 3}, "connector recording: source: must be text; found 3"),
        ("recording", {"source": "x", "sped": 2}, "sped: is not a known option; did you mean"),
        ("recording", {"source": "x", "loops": True}, "loops: must be a whole number; found True"),
        ("mqtt", {"host": "h", "topics": []}, "connector mqtt: topics: name at least one"),
        ("mqtt", {"host": "h", "topics": "#"}, "topics: must be a list .each text.; found '#'"),
        ("mqtt", {"host": "h", "topics": ["#"], "group": "a/b"}, "group: must be a word"),
        ("mqtt", {"host": "h", "topics": ["#"], "receive_maximum": 0}, "must be 1 to 65535"),
        ("mqtt", {"host": "h", "topics": ["#"], "ca_file": "/no"}, "ca_file: /no cannot be read"),
    ],
)
def test_options_of_connectors_are_checked(name, options, sentence):
    with pytest.raises(OptionError, match=sentence):
        make_connector(name, options)


def test_a_third_party_adds_a_connector_as_an_entry_point(monkeypatch):
    point = EntryPoint("fake", "fakes:FakeConnector", "streambed.connectors")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] * (group == point.group))
    assert type(make_connector("fake", {})).__name__ == FakeConnector.__name__
    with pytest.raises(OptionError, match="known: console, fake, mqtt, recording"):
        make_connector("other", {})
    with pytest.raises(OptionError, match="There is no processor 'fake'; known: hfp"):
        make_processor("fake", {})


def test_an_entry_point_that_is_something_else_is_refused(monkeypatch):
    point = EntryPoint("fake", "json:dumps", "streambed.connectors")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    with pytest.raises(OptionError, match="is no Connector"):
        make_connector("fake", {})


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["run"], "Say what to run"),
        (["run", "--config", "/nowhere.yml"], "/nowhere.yml: cannot be read: No such file"),
        (["run", "--connector", "console", "--option", "x"], "must be NAME=VALUE; found 'x'"),
        (["record", "--connector", "amqp", "--to", "/x"], "There is no connector 'amqp'"),
        (["simulate", "--file", "x.csv"], "--file: must end in .jsonl"),
        (["simulate", "--mqtt", "host"], "--mqtt: must be HOST:PORT; found 'host'"),
        (["simulate", "--mqtt", "h:1", "--vehicles", "0"], "--vehicles: must be 1 to 99999"),
        (["simulate", "--mqtt", "h:1", "--start", "soon"], "--start: "),
        (["simulate", "--mqtt", "h:1", "--nulls", "2"], "nulls: must be from 0 to 1"),
    ],
)
def test_a_wrong_command_line_is_told_in_a_sentence(arguments, sentence, capsys):
    assert cli.main(arguments) == 2
    assert sentence in capsys.readouterr().err
