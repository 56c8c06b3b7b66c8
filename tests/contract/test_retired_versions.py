"""A retired version is rejected, whatever is expected; before that, both versions are read."""

import json

import pytest

from affidavit.contract.parser import Retired, parse_reply
from affidavit.records.diagnostics import Reason

RETIRED = Retired(prompts=("1.0.0",), schemas=("1.0",))


def reply(prompt: str, schema: str = "1.1") -> str:
    return json.dumps({"schema_version": schema, "prompt_version": prompt, "findings": []})


@pytest.mark.parametrize("prompt", ["1.0.0", "1.0"])
@pytest.mark.parametrize("expected", [None, "1.0.0", "1.0.1"])
def test_a_retired_prompt_version_is_incompatible(prompt: str, expected: str | None) -> None:
    parsed = parse_reply(reply(prompt), prompt_version=expected, allow_patch_drift=True, retired=RETIRED)
    assert parsed.state == "rejected"
    assert parsed.diagnostics[0].code is Reason.INCOMPATIBLE_VERSION
    assert "retired" in parsed.diagnostics[0].detail


def test_a_retired_schema_version_is_incompatible() -> None:
    parsed = parse_reply(reply("2.0.0", "1.0"), retired=RETIRED)
    assert parsed.diagnostics[0].code is Reason.INCOMPATIBLE_VERSION
    assert parse_reply(reply("2.0.0", "1.1"), retired=RETIRED).state == "clean"


@pytest.mark.parametrize(("prompt", "schema"), [("1.0.0", "1.1"), ("1.1.0", "1.0"), ("1.0.1", "1.1")])
def test_what_is_not_retired_is_read_side_by_side(prompt: str, schema: str) -> None:
    assert parse_reply(reply(prompt, schema)).state == "clean"
