"""Replies that the contract's tests start from."""

import json
from typing import Any

from affidavit.contract.parser import ParsedReply, parse_reply
from affidavit.records.diagnostics import Reason


def finding_1_0(**change: Any) -> dict[str, Any]:
    """A finding that stands in schema 1.0; a value of `...` removes the field."""
    return _changed(
        {
            "id": "F1",
            "severity": "high",
            "category": "correctness",
            "title": "Off by one",
            "file": "src/a.py",
            "line": 12,
            "message": "The last element is never read.",
        },
        change,
    )


def verification(**change: Any) -> dict[str, Any]:
    """Evidence that stands in schema 1.1."""
    return _changed(
        {
            "code_examined": "for i in range(n - 1):",
            "line_range_examined": [10, 14],
            "verification_method": "Read lines 10 to 14.",
            "checked_for_handling_elsewhere": True,
            "where_checked": "the callers in src/b.py",
            "failing_input": "a list of one element",
            "wrong_outcome": "nothing is read",
        },
        change,
    )


def impact(**change: Any) -> dict[str, Any]:
    """Evidence of an impact finding that src/a.py causes."""
    return verification(is_impact_finding=True, caused_by={"file": "src/a.py", "symbol": "f"}, **change)


def finding(**change: Any) -> dict[str, Any]:
    """A finding that stands in schema 1.1."""
    return _changed({**finding_1_0(), "verification": verification()}, change)


def reply(*findings: Any, **change: Any) -> dict[str, Any]:
    """A reply of schema 1.1 with these findings."""
    top = {"schema_version": "1.1", "prompt_version": "1.0.0", "findings": list(findings)}
    return _changed(top, change)


def text(value: Any) -> str:
    """The reply as somebody sends it."""
    return json.dumps(value)


def codes(parsed: ParsedReply) -> list[Reason]:
    """The codes of all diagnostics, in order."""
    return [diagnostic.code for diagnostic in parsed.diagnostics]


def coerced_fields(parsed: ParsedReply) -> list[str | None]:
    """The fields whose values were coerced."""
    return [
        diagnostic.field for diagnostic in parsed.diagnostics if diagnostic.code is Reason.COERCION_APPLIED
    ]


def _changed(value: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    return {name: field for name, field in {**value, **change}.items() if field is not ...}


def parse(*findings: Any, **change: Any) -> ParsedReply:
    """What the parser makes of a reply with these findings."""
    return parse_reply(text(reply(*findings, **change)))


def dropped_code(parsed: ParsedReply) -> Reason:
    """Why the only finding of a reply was dropped; it is listed and said."""
    assert parsed.state == "all_dropped"
    assert parsed.result is not None
    assert parsed.result.findings == ()
    assert Reason.ALL_FINDINGS_DROPPED in codes(parsed)
    assert codes(parsed).count(Reason.FINDING_DROPPED) == 1
    (dropped,) = parsed.dropped
    assert dropped.code in codes(parsed)
    return dropped.code
