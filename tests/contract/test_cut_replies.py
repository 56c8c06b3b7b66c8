"""A reply that was cut off: what stands of it, and that it is never clean."""

import json
from typing import Any

import pytest
from contract_replies import codes, finding, reply, text

from affidavit.contract.parser import parse_reply
from affidavit.contract.schema import to_json
from affidavit.records.diagnostics import Reason


def test_a_reply_cut_off_in_a_finding_keeps_the_whole_ones_and_lists_the_other() -> None:
    cut = text(reply(finding(), 5, finding(id="F3")))[:-20]
    parsed = parse_reply(cut)
    assert parsed.state == "accepted"
    assert parsed.is_truncated
    assert parsed.indexes == (0,)
    assert [(dropped.index, dropped.code) for dropped in parsed.dropped] == [
        (1, Reason.INVALID_TYPE),
        (2, Reason.TRUNCATED_JSON),
    ]
    assert cut.endswith(parsed.dropped[1].raw)
    assert codes(parsed).count(Reason.FINDING_DROPPED) == 2


@pytest.mark.parametrize("tail", ["", "]", '], "meta": {'])
def test_an_empty_list_in_a_reply_that_was_cut_off_is_not_clean(tail: str) -> None:
    parsed = parse_reply('{"schema_version": "1.1", "prompt_version": "1.0.0", "findings": [' + tail)
    assert parsed.state == "rejected"
    assert parsed.is_truncated
    assert Reason.TRUNCATED_JSON in codes(parsed)
    assert codes(parsed)[-1] is Reason.RESPONSE_REJECTED


def test_a_cut_reply_whose_whole_findings_are_all_bad_is_all_dropped() -> None:
    parsed = parse_reply(text(reply(5, finding()))[:-5])
    assert parsed.state == "all_dropped"
    assert parsed.is_truncated


@pytest.mark.parametrize(
    "document", [reply(finding(), finding(id="F2"), summary="s", meta={"a": [1]}), reply()]
)
@pytest.mark.parametrize(
    "encode", [text, lambda value: text(text(value)), lambda value: json.dumps(value, indent=1)]
)
def test_a_reply_cut_anywhere_is_never_clean_and_keeps_whole_findings_only(
    document: Any, encode: Any
) -> None:
    whole = encode(document)
    ends = [position + 1 for position, character in enumerate(whole) if character == "}"]
    for length in range(len(whole)):
        parsed = parse_reply(whole[:length])
        assert parsed.state in ("accepted", "rejected")
        if parsed.result is not None:
            assert parsed.is_truncated
            kept = [
                to_json(parsed.result, "1.1")["findings"][place]["id"] for place in range(len(parsed.indexes))
            ]
            assert kept == ["F1", "F2"][: len(kept)]
            assert len(kept) <= sum(end <= length for end in ends) // 2
