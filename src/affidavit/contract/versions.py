"""Read the schema and prompt versions of a reply, and check that they are compatible."""

import re
from collections.abc import Collection

CURRENT_PROMPT_VERSION = "2.0.0"
NO_PROMPT_VERSION = "1.0.0"
"""Named by replies whose author read no prompt: the contract requires a version; this one never changes."""

Version = tuple[int, ...]
# Nine digits are more than any version needs; a reply with a longer number is hostile or broken.
_SCHEMA_VERSION = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}")
_PROMPT_VERSION = re.compile(r"[0-9]{1,9}\.[0-9]{1,9}(?:\.[0-9]{1,9})?")


def parse_schema_version(text: str) -> Version | None:
    """Read `major.minor`; None for anything else."""
    return _numbers(text) if _SCHEMA_VERSION.fullmatch(text) else None


def parse_prompt_version(text: str) -> Version | None:
    """Read `major.minor` or `major.minor.patch`; None for anything else."""
    return _numbers(text) if _PROMPT_VERSION.fullmatch(text) else None


def _numbers(text: str) -> Version:
    return tuple(map(int, text.split(".")))


def version_to_read_by(reply: str, expected: str, known: Collection[str]) -> str | None:
    """Return the known schema version by which a reply is read; None if it is not compatible.

    A newer minor of the same major is read by the expected version, an older known one by its own.
    """
    replied, wanted = parse_schema_version(reply), parse_schema_version(expected)
    if replied is None or wanted is None or replied[0] != wanted[0]:
        return None
    if replied >= wanted:
        return expected
    return next((version for version in known if parse_schema_version(version) == replied), None)


def is_newer_schema(reply: str, other: str) -> bool:
    """Check whether a reply's schema version is newer than another one."""
    replied, compared = parse_schema_version(reply), parse_schema_version(other)
    return replied is not None and compared is not None and replied > compared


def is_prompt_compatible(reply: str, expected: str | None, *, allow_patch_drift: bool = False) -> bool:
    """Check for the expected version, or its `major.minor` if patches may drift; None expects any."""
    replied = parse_prompt_version(reply)
    if replied is None:
        return False
    if expected is None or reply == expected:
        return True
    wanted = parse_prompt_version(expected)
    return allow_patch_drift and wanted is not None and replied[:2] == wanted[:2]
