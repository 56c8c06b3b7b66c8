"""Which schema and prompt versions a reply may name."""

import re
from collections.abc import Collection
from typing import NamedTuple

CURRENT_PROMPT_VERSION = "1.0.0"
NO_PROMPT_VERSION = "1.0.0"
"""What a reply names whose author read no prompt: the contract asks for one, and it must not change later."""

# Nine digits are more than any version needs; a reply with a longer number is hostile or broken.
_SCHEMA_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})")
_PROMPT_VERSION = re.compile(r"([0-9]{1,9})\.([0-9]{1,9})(?:\.([0-9]{1,9}))?")


class SchemaVersion(NamedTuple):
    """`major.minor`, ordered."""

    major: int
    minor: int


class PromptVersion(NamedTuple):
    """`major.minor` with an optional patch."""

    major: int
    minor: int
    patch: int | None = None


def parse_schema_version(text: str) -> SchemaVersion | None:
    """None where the text is not `x.y`."""
    match = _SCHEMA_VERSION.fullmatch(text)
    return SchemaVersion(int(match[1]), int(match[2])) if match else None


def parse_prompt_version(text: str) -> PromptVersion | None:
    """None where the text is not `x.y` or `x.y.z`."""
    match = _PROMPT_VERSION.fullmatch(text)
    if match is None:
        return None
    return PromptVersion(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)


def version_to_read_by(reply: str, expected: str, known: Collection[str]) -> str | None:
    """The known schema version by which a reply is read; None where it is not compatible.

    A newer minor of the same major is read by the expected version, an older known one by its own.
    """
    replied, wanted = parse_schema_version(reply), parse_schema_version(expected)
    if replied is None or wanted is None or replied.major != wanted.major:
        return None
    if replied >= wanted:
        return expected
    return next((version for version in known if parse_schema_version(version) == replied), None)


def is_newer_schema(reply: str, other: str) -> bool:
    """The reply's schema version is newer than the other one."""
    replied, compared = parse_schema_version(reply), parse_schema_version(other)
    return replied is not None and compared is not None and replied > compared


def is_prompt_compatible(reply: str, expected: str | None, *, allow_patch_drift: bool = False) -> bool:
    """Equal, or the same `major.minor` where drift is allowed; any version where `expected` is None."""
    replied = parse_prompt_version(reply)
    if replied is None:
        return False
    if expected is None or reply == expected:
        return True
    wanted = parse_prompt_version(expected)
    return allow_patch_drift and wanted is not None and replied[:2] == wanted[:2]
