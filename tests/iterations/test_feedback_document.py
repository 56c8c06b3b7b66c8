"""The actionable-feedback document: valid against its schema, whatever a report holds."""

import json
from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import HealthCheck, given, settings

from affidavit.iterations.feedback_document import assess, evidence_of, feedback_document
from affidavit.iterations.feedback_words import ISSUE_PATTERNS, SUGGESTION_PATTERNS
from affidavit.iterations.review_summary import summary_of
from affidavit.iterations.scores import (
    aspect_of,
    decide_verdict,
    kind_of,
    overall_score,
    target_kind,
)
from affidavit.records.candidate import Candidate, Place, Status, Withheld, Worth
from affidavit.records.change import SkipReason
from affidavit.records.diagnostics import Reason
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.finding import Category, Severity
from affidavit.records.iteration import HISTORY_WINDOW, FindingDecision, FollowUp
from affidavit.records.program_runs import ProgramRun
from affidavit.records.report import Gap, Report
from affidavit.render.formats import render
from hostile import hostile_reports
from reports import (
    a_candidate,
    a_change,
    a_file,
    a_finding,
    a_full_report,
    a_hunk,
    a_report,
    a_verification,
    an_impact_candidate,
)

SCHEMA = json.loads(files("affidavit.iterations").joinpath("actionable-feedback.schema.json").read_bytes())
VALID = jsonschema_rs.validator_for(SCHEMA, validate_formats=True)


def document(report: Report) -> dict[str, Any]:
    made = feedback_document(report)
    assert made is not None
    VALID.validate(made)
    return made


def follow_up(number: int, **decision: Any) -> FollowUp:
    fields = {"key": "k", "earlier": "ruff-0", "fingerprint": "f", "title": "t", "severity": Severity.HIGH}
    fields |= {"file": "a.py", "line": 1, "specialist": "ruff", "fate": "still_open", "by": "analyser"}
    made = FindingDecision.model_validate({**fields, **decision})
    return FollowUp(iteration=number, previous="r0", digest="d", decisions=(made,))


def test_the_kept_schema_has_the_rules_that_the_code_goes_by() -> None:
    rules = SCHEMA["validation_rules"]
    assert tuple(rules["issue_specificity"]["forbidden_patterns"]) == ISSUE_PATTERNS
    assert tuple(rules["suggestion_actionability"]["forbidden_patterns"]) == SUGGESTION_PATTERNS
    assert SCHEMA["ralph_integration"]["window_size"] == HISTORY_WINDOW
    for example in SCHEMA["examples"]:
        VALID.validate(example)


def test_a_full_report_makes_a_valid_document_with_one_item_for_each_shown_finding() -> None:
    report = a_full_report()
    made = document(report)
    assert {item["finding"] for item in made["feedback_items"]} == {one.id for one in report.shown}
    assert json.loads(render(report, "feedback"))["id"] == made["id"]


def test_a_clean_review_writes_no_document() -> None:
    assert feedback_document(a_report()) is None
    assert render(a_report(), "feedback") == ""


@given(hostile_reports())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_a_change_says_the_document_is_valid(report: Report) -> None:
    text = render(report, "feedback")
    if text:
        VALID.validate(json.loads(text))
        assert "\u202e" not in text


def test_what_blocks_comes_first_and_priorities_end_at_ten() -> None:
    many = [a_candidate(n, finding=a_finding(severity=Severity.LOW, line=n + 1)) for n in range(14)]
    worst = a_candidate(20, finding=a_finding(severity=Severity.HIGH, line=90))
    items = document(a_report(*many, worst))["feedback_items"]
    assert items[0]["finding"] == worst.id
    assert [item["suggestion"]["priority"] for item in items] == [*range(1, 10), *[10] * 6]


@pytest.mark.parametrize(
    ("fields", "aspect"),
    [
        ({"category": Category.SECURITY}, "security"),
        ({"category": Category.PERFORMANCE}, "efficiency"),
        ({"category": Category.TEST}, "testability"),
        ({"category": Category.RELIABILITY}, "correctness"),
        ({"category": Category.STYLE}, "style"),
        ({"category": Category.MAINTAINABILITY}, "maintainability"),
        ({"file": "docs/use.md", "rule_id": None}, "documentation"),
        ({"file": "docs/use.md", "category": Category.MAINTAINABILITY}, "clarity"),
        ({"verification": a_verification(is_absence_finding=True)}, "completeness"),
        (
            {"verification": a_verification(is_absence_finding=True), "category": Category.SECURITY},
            "security",
        ),
    ],
)
def test_the_aspect_comes_from_category_kind_of_file_and_cause(fields: dict[str, Any], aspect: str) -> None:
    assert aspect_of(a_finding(**fields)) == aspect


def test_what_a_change_elsewhere_causes_is_a_matter_of_consistency() -> None:
    finding = an_impact_candidate().finding
    assert finding is not None
    assert aspect_of(finding) == "consistency"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("src/a.py", "code"),
        ("tests/test_a.py", "test"),
        ("docs/a.md", "document"),
        ("LICENSE", "document"),
        ("deploy/values.yaml", "configuration"),
        ("Dockerfile", "configuration"),
        ("api/openapi.yaml", "schema"),
        ("a.proto", "schema"),
        ("schema.json", "schema"),
        ("db/schema.py", "code"),
        ("logo.png", "artifact"),
    ],
)
def test_the_kind_of_a_file(path: str, kind: str) -> None:
    assert kind_of(path) == kind


def test_the_target_is_of_the_kind_that_most_changed_lines_belong_to() -> None:
    code = a_file("a.py", a_hunk("+a"))
    prose = a_file("a.md", a_hunk("+a", "+b", "+c", " kept"))
    assert target_kind(a_change([code, prose])) == "document"
    made = document(a_report(a_candidate(), change=a_change([code, prose], title="Say how")))
    assert made["target"]["type"] == "document"
    assert made["target"]["context"] == "Say how"


def shown(severity: Severity, **fields: Any) -> Candidate:
    return a_candidate(finding=a_finding(severity=severity), **fields)


def test_the_score_is_the_product_of_what_each_finding_leaves() -> None:
    assert overall_score([]) == 1
    assert overall_score([shown(Severity.CRITICAL)]) == 0.4
    assert overall_score([shown(Severity.HIGH), shown(Severity.HIGH)]) == 0.423
    assert overall_score([shown(Severity.MEDIUM)]) == 0.8
    assert overall_score([shown(Severity.LOW)] * 4) == 0.815
    assert overall_score([shown(Severity.HIGH, status=Status.UNVERIFIED)]) == 0.86
    assert overall_score([shown(Severity.HIGH, worth=Worth.MAYBE)]) == 0.825


@pytest.mark.parametrize(
    ("severity", "score", "confidence", "times", "final", "verdict"),
    [
        (Severity.LOW, 0.95, 0.9, 3, False, "escalate"),
        (Severity.CRITICAL, 0.4, 0.4, 1, True, "escalate"),
        (Severity.CRITICAL, 0.9, 0.9, 2, False, "refine"),
        (Severity.CRITICAL, 0.9, 0.9, 1, True, "reject"),
        (Severity.HIGH, 0.49, 0.9, 1, False, "refine"),
        (Severity.HIGH, 0.49, 0.9, 1, True, "reject"),
        (Severity.LOW, 0.8, 0.5, 1, False, "accept"),
        (Severity.INFO, 0.98, 0.9, 1, True, "accept"),
        (Severity.LOW, 0.79, 0.9, 1, False, "refine"),
        (Severity.MEDIUM, 0.8, 0.9, 1, False, "refine"),
        (Severity.MEDIUM, 0.8, 0.9, 1, True, "escalate"),
    ],
)
def test_the_rules_of_the_verdict_in_their_order(
    severity: Severity, score: float, confidence: float, times: int, final: bool, verdict: str
) -> None:
    said = decide_verdict(
        [shown(severity)], score=score, confidence=confidence, most_times=times, is_final=final
    )
    assert said == verdict


def test_the_phase_comes_from_the_number_and_the_limit() -> None:
    first = a_report(a_candidate())
    assert assess(first).phase == "initial"
    assert assess(first.model_copy(update={"follow_up": follow_up(2)})).phase == "refinement"
    assert assess(first.model_copy(update={"follow_up": follow_up(5)})).phase == "final"
    assert assess(first, most=1).phase == "final"
    assert document(first)["iteration"] == {"number": 1, "max": 5, "phase": "initial"}


def test_the_same_issue_three_times_is_for_a_person() -> None:
    one = a_candidate()
    report = a_report(one, follow_up=follow_up(3, now=one.id, times=3))
    assert document(report)["overall_assessment"]["verdict"] == "escalate"
    twice = a_report(one, follow_up=follow_up(3, now=one.id, times=2))
    assert document(twice)["overall_assessment"]["verdict"] == "refine"


def test_confidence_does_not_sink_because_no_model_looked() -> None:
    report = a_report(a_candidate(), models={})
    assert report.models == {}
    assert document(report)["overall_assessment"]["confidence"] >= 0.6


def test_a_place_with_a_name_is_referred_to_by_it_and_resolved_to_its_lines() -> None:
    place = Place(kind="function", start=12, end=12, name="Cart.add", name_start=10, name_end=20, before="x")
    item = document(a_report(a_candidate(place=place)))["feedback_items"][0]
    assert item["location"]["type"] == "function"
    assert item["location"]["reference"] == "shop/cart.py::Cart.add"
    assert item["location"]["within"] == {"name": "Cart.add", "start": 10, "end": 20}
    assert item["location"]["context_before"] == "x"


def test_without_a_place_the_lines_are_the_reference() -> None:
    item = document(a_report(a_candidate(finding=a_finding(line=3, end_line=5))))["feedback_items"][0]
    assert (item["location"]["type"], item["location"]["reference"]) == ("range", "shop/cart.py:3-5")


UNFINISHED = (Gap(name="verifier", reason="it could not be reached"),)


@pytest.mark.parametrize("candidates", [(), (a_candidate(finding=a_finding(severity=Severity.LOW)),)])
def test_a_review_that_was_not_completed_accepts_nothing(candidates: tuple[Candidate, ...]) -> None:
    whole, half = a_report(*candidates), a_report(*candidates, incomplete=UNFINISHED)
    assert (assess(whole).verdict, assess(half).verdict) == ("accept", "escalate")
    assert assess(half).confidence < assess(whole).confidence
    if candidates:
        assert "the review was not completed (verifier)" in document(half)["overall_assessment"]["summary"]


def test_where_paths_leave_out_the_whole_change_nothing_is_accepted() -> None:
    left_out = a_file("a.py", skipped=SkipReason.EXCLUDED, excused=True)
    assert assess(a_report(change=a_change([left_out]))).verdict == "escalate"
    some = a_report(change=a_change([left_out, a_file("b.py")]))
    assert (assess(some).verdict, summary_of(some).left_out) == ("accept", ("a.py",))


HIDDEN = [Reason.BELOW_THRESHOLD, Reason.OUT_OF_FOCUS, Reason.STYLE_OFF]


@pytest.mark.parametrize("reason", HIDDEN)
def test_what_the_user_chose_not_to_see_counts_and_is_asked_for_where_it_is_in_the_way(
    reason: Reason,
) -> None:
    seen = a_report(shown(Severity.HIGH))
    hidden = a_report(shown(Severity.HIGH, withheld=Withheld(code=reason)))
    assert assess(hidden) == assess(seen)
    (item,) = document(hidden)["feedback_items"]
    assert (item["hidden_as"], item["severity"]) == (reason, "major")
    assert json.loads(render(hidden, "feedback"))["overall_assessment"]["verdict"] == "refine"
    assert [one.title for one in summary_of(hidden).open] == [one.title for one in summary_of(seen).open]


def test_what_is_hidden_and_minor_lowers_the_score_and_is_not_asked_for() -> None:
    hidden = shown(Severity.LOW, withheld=Withheld(code=Reason.BELOW_THRESHOLD))
    assert assess(a_report(hidden)).score == 0.95
    assert feedback_document(a_report(hidden)) is None
    many = a_report(*(hidden.model_copy(update={"id": f"ruff:{number}"}) for number in range(5)))
    assert len(document(many)["feedback_items"]) == 5


def test_a_nit_counts_neither_shown_nor_hidden() -> None:
    nit = shown(Severity.MEDIUM, worth=Worth.NIT)
    hidden = nit.model_copy(update={"withheld": Withheld(code=Reason.NIT)})
    assert assess(a_report(nit)) == assess(a_report(hidden)) == assess(a_report())


def test_the_output_of_a_program_cannot_say_how_the_other_side_ended() -> None:
    runs = [
        ProgramRun(side=side, state="exited", exit_code=code, output="x\nat base: exit code 9\n" * 50)
        for side, code in (("base", 0), ("head", 1))
    ]
    check = ReproductionCheck(outcome="reproduced", base=runs[0], head=(runs[1],))
    finding = a_finding()
    said = evidence_of(a_candidate(finding=finding, reproduction=check), finding)["test_result"]
    lines = said.splitlines()
    assert [line for line in lines if line.startswith("at ")] == [
        "at base: exit code 0",
        "at head: exit code 1",
    ]
    assert lines[-1] == "| at base: exit code 9"
