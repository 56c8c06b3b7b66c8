"""From the arguments that a model sent to arguments that a tool can trust, or a sentence on what is wrong."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from affidavit.errors import AffidavitError, InputError

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
    """A value of the caller's, in short and writable in any encoding."""
    text = value if isinstance(value, str) else repr(value)
    text = text[: MAX_SHOWN + 1].encode("utf-8", "backslashreplace").decode()
    text = text.replace("\0", "\\0")
    return repr(text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…")


def call_tool(
    name: object,
    arguments: object,
    descriptions: Iterable[Mapping[str, Any]],
    run: Callable[[str, dict[str, Any]], dict[str, Any]],
) -> dict[str, Any]:
    """Run a tool with checked arguments; answer a bad call with `error`, which says what to do instead."""
    known = {tool["function"]["name"]: tool["function"]["parameters"] for tool in descriptions}
    if not isinstance(name, str) or name not in known:
        return {"error": f"there is no tool {shown(name)}: use one of {', '.join(known)}"}
    try:
        return run(name, check_arguments(name, known[name], arguments))
    except AffidavitError as error:
        return {"error": str(error).encode("utf-8", "backslashreplace").decode()}


def check_arguments(name: str, parameters: Mapping[str, Any], arguments: object) -> dict[str, Any]:
    """The arguments by name; null counts as left out. Raises InputError with what to send instead."""
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
    """Models write 10 as "10" or 10.0 now and then: the meaning is the same."""
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
