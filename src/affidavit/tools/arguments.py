"""Call tools by name with the arguments that a model sent; answer a bad call with what to do instead."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from affidavit.errors import AffidavitError, InputError
from affidavit.ports import ToolSource

Answer = dict[str, Any]
Description = dict[str, Any]
"""A tool in the form of function calling."""

MAX_SHOWN = 200
MAX_STRING = 10_000
MAX_ITEMS = 100
# Far above any line number, far below what would make a huge integer slow.
MAX_INTEGER = 10**9
_INTEGER = re.compile(r"[+-]?\d{1,10}")
_A_TYPE = {
    "string": "a string",
    "integer": "an integer",
    "boolean": "true or false",
    "array": "an array of strings",
}


def shown(value: object) -> str:
    """Quote a value of the caller, shortened and writable in any encoding."""
    text = value if isinstance(value, str) else repr(value)
    text = text[: MAX_SHOWN + 1].encode("utf-8", "backslashreplace").decode()
    text = text.replace("\0", "\\0")
    return repr(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…")


def describe(name: str, description: str, properties: dict[str, Any], required: list[str]) -> Description:
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {"type": "object", "properties": properties, "required": required},
        },
    }


class ToolSet:
    """Tools with their descriptions. A call never raises: a bad one is answered with `error`."""

    def __init__(self, tools: Iterable[tuple[Description, Callable[..., Answer]]]) -> None:
        self._tools = {one["function"]["name"]: (one, run) for one, run in tools}

    @property
    def descriptions(self) -> list[Description]:
        return [one for one, _ in self._tools.values()]

    def call(self, name: str, arguments: object) -> Answer:
        """Run a tool with checked arguments."""
        if not isinstance(name, str) or name not in self._tools:
            return _unknown(name, self._tools)
        described, run = self._tools[name]
        try:
            return run(**check_arguments(name, described["function"]["parameters"], arguments))
        except AffidavitError as error:
            return {"error": str(error).encode("utf-8", "backslashreplace").decode()}


class JoinedTools:
    """Several sources of tools as one; a name belongs to the first that has it."""

    def __init__(self, *sources: ToolSource) -> None:
        self._sources = sources

    @property
    def descriptions(self) -> list[Description]:
        """Return all descriptions, in the same order each time, so that providers can cache them."""
        return [tool for source in self._sources for tool in source.descriptions]

    def call(self, name: str, arguments: object) -> Answer:
        """Call the first source that has the tool."""
        for source in self._sources:
            if name in [tool["function"]["name"] for tool in source.descriptions]:
                return source.call(name, arguments)
        return _unknown(name, [tool["function"]["name"] for tool in self.descriptions])


def _unknown(name: object, names: Iterable[str]) -> Answer:
    return {"error": f"there is no tool {shown(name)}: use one of {', '.join(names)}"}


def check_arguments(name: str, parameters: Mapping[str, Any], arguments: object) -> dict[str, Any]:
    """Return the arguments by name without nulls; raise InputError with what to send instead."""
    if not isinstance(arguments, Mapping):
        raise InputError(f"{name} takes its arguments as one JSON object: {_usage(name, parameters)}")
    properties = parameters["properties"]
    given = {key: value for key, value in arguments.items() if value is not None}
    for key in given:
        if key not in properties:
            raise InputError(
                f"{name} takes no argument {shown(key)}{_meant(key, properties)}: {_usage(name, parameters)}"
            )
    for key in parameters["required"]:
        if key not in given:
            raise InputError(f"{name} needs the argument {key!r}: {_usage(name, parameters)}")
    return {key: _checked(name, key, properties[key], value) for key, value in given.items()}


def _meant(key: object, properties: Mapping[str, Any]) -> str:
    close = get_close_matches(str(key)[:MAX_SHOWN], list(properties), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _usage(name: str, parameters: Mapping[str, Any]) -> str:
    required = parameters["required"]
    words = [
        f"{key}: {_A_TYPE[description['type']]}{'' if key in required else ', optional'}"
        for key, description in parameters["properties"].items()
    ]
    return f"call {name} with {{{'; '.join(words)}}}"


def _checked(name: str, key: str, described: Mapping[str, Any], value: object) -> object:
    wanted = described["type"]
    if described.get("items", {}).get("type") == "object":
        # The tool itself reads objects.
        return value
    checked = {"string": _string, "integer": _integer, "boolean": _boolean, "array": _strings}[wanted](value)
    if checked is None:
        raise InputError(f"{name}: {key!r} must be {_A_TYPE[wanted]}, not {shown(value)}")
    return checked


def _string(value: object) -> str | None:
    if not isinstance(value, str) or len(value) > MAX_STRING:
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        # Half a surrogate pair can be written in JSON, but in no file name and no text.
        return None
    return value


def _integer(value: object) -> int | None:
    """Accept also "10" and 10.0, which models sometimes write for 10."""
    if isinstance(value, str) and _INTEGER.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) <= MAX_INTEGER:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_INTEGER:
        return None
    return value


def _boolean(value: object) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _strings(value: object) -> list[str] | None:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, Sequence) or isinstance(value, bytes) or len(value) > MAX_ITEMS:
        return None
    strings = [_string(item) for item in value]
    return None if None in strings else [string for string in strings if string is not None]
