"""Options from a configuration file, checked against what a constructor takes."""

import difflib
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any, Union, get_args, get_origin, get_type_hints

NAMES = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "true or false",
    list: "a list",
    type(None): "nothing",
}


class OptionError(Exception):
    """What is wrong with an option, as a sentence."""


def construct(make: Callable[..., Any], options: Mapping[str, Any], *, where: str) -> Any:
    """Call a constructor with options by keyword, or raise OptionError naming `where`."""
    check_options(make, options, where=where)
    try:
        return make(**options)
    except OptionError as error:
        raise OptionError(f"{where}: {error}") from error


def check_options(make: Callable[..., Any], options: Mapping[str, Any], *, where: str) -> None:
    """Whether a constructor would take the options, as far as names and types tell."""
    parameters = {
        name: parameter
        for name, parameter in inspect.signature(make).parameters.items()
        if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
    }
    hints = get_type_hints(make.__init__ if isinstance(make, type) else make)
    for name, value in options.items():
        if name not in parameters:
            raise OptionError(f"{where}: {_unknown(name, list(parameters))}")
        if name in hints and not _fits(value, hints[name]):
            allowed = _names(hints[name])
            raise OptionError(f"{where}: {name}: must be {allowed}; found {value!r}.")
    for name, parameter in parameters.items():
        if parameter.default is inspect.Parameter.empty and name not in options:
            raise OptionError(f"{where}: {name}: is missing and has no default; add it.")


def _unknown(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{name}: is not a known option; {hint}Allowed: {', '.join(sorted(known)) or 'none'}."


def _fits(value: Any, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in get_args(hint))
    if origin is list:
        (inner,) = get_args(hint)
        return isinstance(value, list) and all(_fits(item, inner) for item in value)
    if hint is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return not isinstance(hint, type) or isinstance(value, hint)


def _names(hint: Any) -> str:
    if get_origin(hint) in (Union, types.UnionType):
        return " or ".join(_names(part) for part in get_args(hint))
    if get_origin(hint) is list:
        return f"a list (each {_names(get_args(hint)[0])})"
    return NAMES.get(hint, str(hint))
