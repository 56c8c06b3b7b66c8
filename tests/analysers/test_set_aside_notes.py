"""What an analyser's own part drops has a note each up to a bound, and beyond it a number by rule."""

from affidavit.analysers.engine.wording import MAX_LISTED, note_set_aside
from affidavit.analysers.ruff import RUFF
from affidavit.records.diagnostics import Diagnostic
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Category, Severity
from affidavit.records.report import count_set_aside


def problem(rule: str, line: int) -> AnalyserDiagnostic:
    return AnalyserDiagnostic(rule=rule, path="a.py", line=line, message=f"message {line}")


def noted(dropped: list[tuple[AnalyserDiagnostic, str]]) -> tuple[Diagnostic, ...]:
    return note_set_aside("ruff", RUFF.rules, dropped)


def test_a_note_has_rule_place_reason_and_what_it_would_be_if_it_counted() -> None:
    known, unknown = noted([(problem("ruff/F821", 4), "off"), (problem("ruff/X", 5), "new")])
    assert known.is_set_aside
    assert known.set_aside is not None
    assert known.detail == "ruff/F821 at a.py:4 (message 4): off"
    result, rule = known.set_aside, RUFF.rules["ruff/F821"]
    assert (result.rule, result.file, result.line, result.reason) == ("ruff/F821", "a.py", 4, "off")
    assert (result.severity, result.category) == (rule.severity, rule.category)
    assert unknown.set_aside is not None
    assert (unknown.set_aside.severity, unknown.set_aside.category) == (
        Severity.INFO,
        Category.MAINTAINABILITY,
    )


def test_very_many_are_listed_up_to_a_bound_and_the_others_counted_by_rule() -> None:
    dropped = [(problem("ruff/F821", line), "off") for line in range(MAX_LISTED)]
    assert len(noted(dropped)) == MAX_LISTED
    more = [(problem(rule, MAX_LISTED), "off") for rule in ("ruff/F821", "ruff/E999")]
    more.append((problem("ruff/F821", MAX_LISTED + 1), "off"))
    notes = noted([*dropped, *more])
    assert (len(notes), count_set_aside(notes)) == (MAX_LISTED + 1, MAX_LISTED + 3)
    assert notes[-1].unlisted == {"ruff/E999": 1, "ruff/F821": 2}


def test_what_is_said_twice_of_one_line_is_noted_once() -> None:
    twice = [problem("ruff/F821", 4).model_copy(update={"column": column}) for column in (1, 9)]
    assert len(noted([(one, "off") for one in twice])) == 1
    assert len(noted([(twice[0], "off"), (twice[1], "a comment silences it")])) == 2
    assert len(noted([(twice[0], "off"), (twice[1].model_copy(update={"message": "other"}), "off")])) == 2
