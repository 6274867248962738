"""Connectors and processors by name: the ones that come with Streambed, and entry points.

A package of your own adds one with, in its pyproject.toml,

    [project.entry-points."streambed.connectors"]
    amqp = "our_package.amqp:AmqpConnector"
"""

from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from streambed.ingest.interfaces import Connector, Processor
from streambed.ingest.messages import DEAD_LETTER_TOPIC
from streambed.options import OptionError, check_options, construct

# By name and not imported, so that a console needs no MQTT client.
BUILT_IN = {
    "connector": {
        "mqtt": "streambed.ingest.connectors.mqtt:MqttConnector",
        "recording": "streambed.ingest.connectors.recording:RecordingConnector",
        "console": "streambed.ingest.connectors.console:ConsoleConnector",
    },
    "processor": {"hfp": "streambed.ingest.hfp.processor:HfpProcessor"},
}


def make_connector(name: str, options: Mapping[str, Any]) -> Connector:
    return _make("connector", Connector, name, options)


def make_processor(name: str, options: Mapping[str, Any]) -> Processor:
    return _make("processor", Processor, name, options)


def check(kind: str, name: str, options: Mapping[str, Any]) -> None:
    """Raise OptionError unless there is such a thing and it takes such options. Makes nothing, so
    it works where the files that options name are not."""
    check_options(_find(kind, name), options, where=f"{kind} {name}")


def topics_of(processor: str) -> tuple[str, ...]:
    """Where what it makes of messages goes, and what it cannot read."""
    return (*_find("processor", processor).topics, DEAD_LETTER_TOPIC)


def _make(kind: str, base: type, name: str, options: Mapping[str, Any]) -> Any:
    found = _find(kind, name)
    if not (isinstance(found, type) and issubclass(found, base)):
        raise OptionError(f"{kind} {name}: {found!r} is no {base.__name__}.")
    return construct(found, options, where=f"{kind} {name}")


def _find(kind: str, name: str) -> Any:
    others = {point.name: point for point in entry_points(group=f"streambed.{kind}s")}
    if built_in := BUILT_IN[kind].get(name):
        module, _, attribute = built_in.partition(":")
        return getattr(import_module(module), attribute)
    if name in others:
        try:
            return others[name].load()
        except (ImportError, AttributeError) as error:
            raise OptionError(f"{kind} {name}: cannot be loaded: {error}.") from error
    known = ", ".join(sorted({*BUILT_IN[kind], *others}))
    raise OptionError(f"There is no {kind} {name!r}; known: {known}.")
