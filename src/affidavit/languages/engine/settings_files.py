"""Read the files in which projects say how their imports resolve; what is broken in them says nothing."""

import json
import re
import tomllib

_STRING = r'"(?:[^"\\]|\\.)*"'
COMMENTS = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?\*/", re.DOTALL)
TRAILING_COMMAS = re.compile(rf"({_STRING})|,(?=\s*[}}\]])", re.DOTALL)


def read_json(text: str) -> dict[str, object]:
    """An object, with comments and trailing commas as TypeScript allows them."""
    plain = TRAILING_COMMAS.sub(_kept, COMMENTS.sub(_kept, text))
    try:
        value = json.loads(plain)
    except (ValueError, RecursionError):
        return {}
    return table(value)


def _kept(match: re.Match[str]) -> str:
    return match[1] or ""


def read_toml(text: str) -> dict[str, object]:
    """A table."""
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def table(value: object) -> dict[str, object]:
    """The value where it is a table; an empty one where it is anything else."""
    return value if isinstance(value, dict) else {}


def texts(value: object) -> list[str]:
    """The strings in a value that may be one string or a list."""
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str)]
