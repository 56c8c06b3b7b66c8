"""A report as agents get it: nothing that is not shown is left out."""

from affidavit.mcp.reports import describe_report
from affidavit.records.diagnostics import Diagnostic, Reason
from reports import a_report, a_set_aside


def test_an_agent_is_told_what_analysers_set_aside_with_rule_place_and_reason() -> None:
    result = a_set_aside(file="a.py")
    note = Diagnostic(code=Reason.FINDING_DROPPED, detail="", specialist="ruff", set_aside=result)
    other = Diagnostic(code=Reason.COERCION_APPLIED, detail="a number", specialist="ruff")
    told = describe_report(a_report(diagnostics=(note, other)))
    assert told["set_aside"] == [
        "1 result of analysers, set aside: ruff/F821",
        "ruff/F821 at a.py:2: the rule is off (Undefined name)",
    ]
    assert told["diagnostics"] == ["coercion_applied: a number"]
    assert describe_report(a_report())["set_aside"] == []
