"""Versions that a reply may name."""

import pytest

from affidavit.contract.versions import (
    CURRENT_PROMPT_VERSION,
    is_newer_schema,
    is_prompt_compatible,
    parse_prompt_version,
    parse_schema_version,
    version_to_read_by,
)

KNOWN = ("1.0", "1.1")


@pytest.mark.parametrize(
    "text",
    ["", "1", "1.", ".1", "1.1.1", " 1.1", "1.1\n", "-1.0", "1.0a", "\u0661.\u0660", "1." + "0" * 5000],
)
def test_what_is_no_schema_version_is_none(text: str) -> None:
    assert parse_schema_version(text) is None


def test_versions_are_compared_as_numbers() -> None:
    assert parse_schema_version("1.10") == (1, 10)
    assert is_newer_schema("1.10", "1.9")
    assert not is_newer_schema("1.1", "1.1")
    assert not is_newer_schema("x", "1.1")


def test_the_patch_of_a_prompt_version_is_optional() -> None:
    assert parse_prompt_version("1.2") == (1, 2)
    assert parse_prompt_version("1.2.0") == (1, 2, 0)
    assert parse_prompt_version("1.2.3.4") is None
    assert parse_prompt_version(CURRENT_PROMPT_VERSION) is not None


@pytest.mark.parametrize(
    ("reply", "expected", "read_by"),
    [
        ("1.1", "1.1", "1.1"),
        ("1.2", "1.1", "1.1"),
        ("1.10", "1.1", "1.1"),
        ("1.0", "1.1", "1.0"),
        ("1.1", "1.0", "1.0"),
        ("2.0", "1.1", None),
        ("0.9", "1.1", None),
        ("2.1", "1.1", None),
        ("x", "1.1", None),
        ("1.3", "1.5", None),
    ],
)
def test_a_reply_is_read_by_a_version_that_covers_it(reply: str, expected: str, read_by: str | None) -> None:
    assert version_to_read_by(reply, expected, KNOWN) == read_by


def test_prompt_versions_do_not_drift_by_default() -> None:
    assert is_prompt_compatible("1.0.0", "1.0.0")
    assert not is_prompt_compatible("1.0.1", "1.0.0")
    assert is_prompt_compatible("1.0.1", "1.0.0", allow_patch_drift=True)
    assert not is_prompt_compatible("1.1.0", "1.0.0", allow_patch_drift=True)
    assert is_prompt_compatible("9.9", None)
    assert not is_prompt_compatible("nine", None)
