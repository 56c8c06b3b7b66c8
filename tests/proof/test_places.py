"""Many findings of one rule in one file are one finding with its places."""

import pytest

from affidavit.proof.places import MANY, gather_places
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.render.formats import FORMATS, render
from affidavit.render.report.proof.under import said_under
from claims import candidate, change_of, finding, report_on


def reported(index: int, **fields: object) -> Candidate:
    claim = finding(**{"rule_id": "ruff/F821", "line": index + 1, "end_line": None, **fields})
    return candidate(claim, id=f"ruff-{index}", index=index, specialist="ruff", kind="mechanical")


def shown(candidates: list[Candidate]) -> list[str]:
    return [one.id for one in gather_places(candidates, "report") if one.is_shown]


def test_a_few_findings_of_one_rule_stay_as_they_are() -> None:
    assert len(shown([reported(number) for number in range(MANY)])) == MANY


def test_the_worst_and_first_of_many_stands_for_the_others() -> None:
    many = [reported(number, severity="critical" if number == 2 else "high") for number in range(450)]
    gathered = gather_places(many, "report")
    assert shown(many) == ["ruff-2"]
    ends = {(one.withheld.code, one.withheld.detail) for one in gathered if one.withheld}
    assert ends == {(Reason.DUPLICATE_OF, "ruff-2")}


def test_other_files_other_rules_and_what_models_say_stay_apart() -> None:
    many = [reported(number) for number in range(MANY + 1)]
    others = [
        reported(20, file="other.py"),
        reported(21, rule_id="ruff/F811"),
        candidate(finding(rule_id="ruff/F821"), id="logic-22", index=22),
    ]
    assert shown([*many, *others]) == ["ruff-0", "ruff-20", "ruff-21", "logic-22"]


def test_a_finding_that_has_ended_stands_for_nothing() -> None:
    many = [reported(number) for number in range(MANY + 2)]
    many[0] = many[0].withhold("report", Reason.DISMISSED, "by ann: known")
    assert shown(many) == ["ruff-1"]


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"verdict", "review-result"}))
def test_the_further_places_are_named_under_the_finding_in_every_format(form: str) -> None:
    gathered = gather_places([reported(number) for number in range(20)], "report")
    report = report_on(change_of("app.py"), *gathered)
    (leader,) = report.shown
    lines = "lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13 and 7 more"
    assert said_under(leader, report) == [("also at", lines)]
    text = " ".join(render(report, form).split())
    assert lines in text or '"detail":"ruff-0"' in text.replace(" ", "")
