"""Many findings of one rule in one file, and what one cause breaks, are one finding with its places."""

import pytest

from affidavit.proof.places import MANY, gather_places, spots_of
from affidavit.records.candidate import Candidate, Carried, Judgement, Status
from affidavit.records.diagnostics import Reason
from affidavit.records.evidence import QuoteCheck
from affidavit.records.iteration import EarlierFinding
from affidavit.render.formats import FORMATS, render
from affidavit.render.proof import said_under
from affidavit.render.view import finding_view
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


def broken(index: int, symbol: str = "helper", named: str = "", /, **fields: object) -> Candidate:
    evidence = {
        "is_impact_finding": True,
        "caused_by": {"file": "lib.py", "symbol": symbol},
        "verification_method": f"references reports it: `{named or symbol}` is gone",
    }
    said = {"rule_id": "references/removed-import", "file": f"u{index}.py", "line": 1, "end_line": None}
    own = {name: fields.pop(name) for name in ("status", "worth", "quote") if name in fields}
    return candidate(
        finding(evidence, **{**said, **fields}),
        id=f"references-{index}",
        index=index,
        specialist="references",
        kind="mechanical",
        **own,
    )


def test_a_place_that_is_open_since_a_review_before_stands_under_what_is_reported_now() -> None:
    standing = Judgement(by="earlier", answer="CONFIRMED", reason="a comment silences it")
    carried = Carried(earlier="references-9", key="k", trace="stands", judgement=standing)
    before = broken(0, status="verified").model_copy(update={"carried": carried})
    unsure = broken(1).model_copy(update={"carried": carried, "status": Status.UNVERIFIED})
    gathered = gather_places([before, unsure, broken(2, status="verified")], "report")
    assert [one.id for one in gathered if one.is_shown] == ["references-1", "references-2"]
    report = report_on(change_of("lib.py"), *gathered)
    assert [(label, text.split(":")[0]) for label, text in said_under(gathered[2], report)] == [
        ("also at", "u0.py")
    ]


def test_what_one_cause_breaks_is_one_finding_whatever_the_file_and_the_rule() -> None:
    uses = [
        broken(0, severity="medium", rule_id="references/stale-document"),
        broken(1),
        broken(2, rule_id="references/removed-attribute"),
        broken(3, "another"),
    ]
    assert shown(uses) == ["references-1", "references-3"]


def test_what_another_analyser_proves_of_the_cause_goes_along() -> None:
    other = broken(1).model_copy(update={"id": "ty-1", "specialist": "ty"})
    assert shown([broken(0), other]) == ["references-0"]
    report = report_on(change_of("lib.py"), *gather_places([broken(0), other], "report"))
    assert [text.partition(":")[0] for _, text in said_under(report.shown[0], report)] == ["u1.py"]


def test_a_cause_that_the_finding_does_not_name_was_guessed_and_joins_nothing() -> None:
    assert shown([broken(0), broken(1, "helper", "total")]) == ["references-0", "references-1"]


def test_a_call_of_a_class_has_the_cause_of_its_constructor() -> None:
    assert shown([broken(0, "Cart.__init__", "Cart"), broken(1, "Cart")]) == ["references-0"]


def test_who_fixes_some_of_many_gets_no_longer_list_for_it() -> None:
    first, *others = (reported(number) for number in range(MANY + 2))
    were_one = spots_of([EarlierFinding(candidate=first, key="k", places=tuple(others))])
    left = gather_places([first, *others[:2]], "report", were_one=were_one)
    assert [one.is_shown for one in left] == [True, False, False]
    assert spots_of([EarlierFinding(candidate=first, key="k", places=(broken(1),))]) == frozenset()


def test_what_blocks_is_never_put_under_what_does_not() -> None:
    mild = broken(0, severity="critical", status="verified", worth="maybe")
    assert shown([mild, broken(1, status="verified", worth="act")]) == ["references-1"]


def test_places_that_a_crowded_file_ties_together_are_one_finding() -> None:
    crowd = [broken(number, f"name{number}", file="app.py", line=number + 1) for number in range(MANY + 1)]
    assert shown([*crowd, broken(20, "name3"), broken(21, "name5")]) == ["references-0"]


def test_what_was_said_by_a_gathered_finding_is_read_under_the_one_that_stands() -> None:
    twin = candidate(id="ty-0", kind="mechanical", specialist="ty", index=9)
    twin = twin.withhold("verify", Reason.DUPLICATE_OF, "references-1")
    *_, ended = gather_places([broken(0), broken(1), twin], "report")
    assert ended.withheld is not None
    assert ended.withheld.detail == "references-0"
    assert ended.steps[-1].what == "references-1 is a duplicate of references-0"


def test_what_the_user_chose_not_to_see_stands_for_nothing_that_is_shown_and_counts_once() -> None:
    uses = [broken(number) for number in range(4)]
    gathered = gather_places(uses, "report", lambda one: one.index < 2)
    ends = [one.withheld and one.withheld.detail for one in gathered]
    assert ends == [None, "references-0", None, "references-2"]


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {"report"}))
def test_places_of_one_cause_are_named_with_their_code_in_every_format(form: str) -> None:
    quote = {
        "outcome": "exact",
        "side": "head",
        "file": "u1.py",
        "start": 1,
        "end": 1,
        "code": "import helper",
    }
    gathered = gather_places([broken(0), broken(1, quote=quote), broken(2, title="Gone")], "report")
    report = report_on(change_of("lib.py"), *gathered)
    (leader,) = report.shown
    assert said_under(leader, report) == [
        ("also at", "u1.py:1: `import helper`"),
        ("also at", "u2.py:1: Gone"),
    ]
    text = render(report, form)
    assert "u1.py:1" in text
    assert "import helper" in text


def test_of_very_many_places_some_are_named_and_the_rest_counted() -> None:
    report = report_on(change_of("lib.py"), *gather_places([broken(at) for at in range(20)], "report"))
    said = said_under(report.shown[0], report)
    assert len(said) == 13
    assert said[-1] == ("also at", "7 more places")


def test_the_worst_places_come_first_and_each_stands_there_once() -> None:
    twice = [broken(3, line=4), broken(3, line=4).model_copy(update={"id": "references-9"})]
    uses = [broken(0), broken(1, severity="low"), *twice, broken(10, line=2), broken(2, line=10)]
    report = report_on(change_of("lib.py"), *gather_places(uses, "report"))
    said = [
        text.partition(": ")[0] for label, text in said_under(report.shown[0], report) if label == "also at"
    ]
    assert said == ["u10.py:2", "u2.py:10", "u3.py:4", "u1.py:1"]


def test_other_names_of_a_crowded_file_are_places_with_their_code() -> None:
    quote = {"outcome": "exact", "side": "head", "file": "app.py", "start": 3, "end": 3, "code": "use(c)"}
    crowd = [reported(number, title=f"`{number}` is not defined") for number in range(MANY + 1)]
    crowd[2] = crowd[2].model_copy(update={"quote": QuoteCheck.model_validate(quote)})
    report = report_on(change_of("app.py"), *gather_places(crowd, "report"))
    assert said_under(report.shown[0], report)[:2] == [
        ("also at", "app.py:2: `1` is not defined"),
        ("also at", "app.py:3: `use(c)`"),
    ]


@pytest.mark.parametrize("form", ["terminal", "markdown"])
def test_smaller_points_name_their_further_places(form: str) -> None:
    documents = [broken(at, severity="low", worth="maybe", file=f"d{at}.md") for at in range(9)]
    report = report_on(change_of("lib.py"), *gather_places(documents, "report"))
    assert finding_view(report.shown[0], report).under_in_short.endswith("d5.md:1 and 3 more")
    assert "lso at d1.md:1, d2.md:1" in " ".join(render(report, form).replace("`", "").split())
