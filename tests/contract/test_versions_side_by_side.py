"""Versions of prompts and schemas are read side by side."""

import json

import pytest

from affidavit.contract.parser import parse_reply


@pytest.mark.parametrize(("prompt", "schema"), [("1.0.0", "1.1"), ("1.1.0", "1.0"), ("1.0.1", "1.1")])
def test_older_versions_are_read_side_by_side(prompt: str, schema: str) -> None:
    reply = json.dumps({"schema_version": schema, "prompt_version": prompt, "findings": []})
    assert parse_reply(reply).state == "clean"
