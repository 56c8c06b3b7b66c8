"""The view of a report: one order, one name for each finding, and what each stands for."""

from affidavit.records.diagnostics import Reason
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.finding import Severity
from affidavit.render.view import ReportView, view_of
from reports import a_candidate, a_finding, a_full_report, a_report, a_withheld


def test_the_worst_comes_first_and_what_was_reproduced_leads_among_equals() -> None:
    check = ReproductionCheck(outcome="reproduced")
    view = view_of(
        a_report(
            a_candidate(1, finding=a_finding(severity=Severity.LOW)),
            a_candidate(2, finding=a_finding(severity=Severity.HIGH)),
            a_candidate(3, finding=a_finding(severity=Severity.HIGH, line=99), reproduction=check),
            a_candidate(4, finding=a_finding(severity=Severity.CRITICAL)),
        )
    )
    assert [one.id for one in view.findings] == ["ruff:4", "ruff:3", "ruff:2", "ruff:1"]


def test_no_two_findings_have_one_anchor() -> None:
    candidates = [a_candidate(number, fingerprint=name) for number, name in enumerate(["a/b", "a/b", "", ""])]
    anchors = [one.anchor for one in view_of(a_report(*candidates)).findings]
    assert anchors == [
        "finding-a-b",
        "finding-a-b--2",
        "finding-without-fingerprint",
        "finding-without-fingerprint--2",
    ]


def test_every_candidate_is_in_the_view_and_what_is_withheld_says_why() -> None:
    report = a_full_report()
    view = view_of(report)
    assert {one.id for one in view.findings} == {one.id for one in report.candidates}
    assert [one.id for one in view.shown] == [one.id for one in view.findings[: len(report.shown)]]
    assert all(one.withheld and one.withheld.why for one in view.withheld)
    assert [one.severity for one in view.nits] == ["info"]


def test_a_duplicate_names_the_finding_that_says_it() -> None:
    leader = a_candidate(1)
    (same,) = view_of(a_report(leader, a_withheld(2, Reason.DUPLICATE_OF, leader.id))).withheld
    assert same.withheld is not None
    assert same.withheld.leader == leader.id
    assert same.withheld.detail.startswith(view_of(a_report(leader)).findings[0].place)


def test_the_view_is_the_same_after_it_was_written_and_read() -> None:
    view = view_of(a_full_report())
    assert ReportView.model_validate_json(view.model_dump_json()) == view


def test_a_finding_that_another_one_hides_comes_after_it_and_says_so() -> None:
    hiding = a_candidate(2, finding=a_finding(id="B", severity=Severity.LOW, title="The loop never ends"))
    proof = hiding.evidence.model_copy(update={"appears_after": "B"})
    hidden = a_candidate(1, finding=a_finding(id="A", severity=Severity.HIGH, verification=proof))
    view = view_of(
        a_report(hidden, hiding, a_candidate(3, finding=a_finding(id="C", severity=Severity.HIGH)))
    )
    assert [one.id for one in view.findings] == ["ruff:3", "ruff:2", "ruff:1"]
    assert view.findings[2].claim[-1] == ("after", f"{view.findings[1].place} is fixed: The loop never ends")


def test_a_finding_that_names_no_shown_finding_stays_in_its_place() -> None:
    finding = a_finding(id="A")
    proof = a_candidate(1).evidence.model_copy(update={"appears_after": "A"})
    (alone,) = view_of(
        a_report(a_candidate(1, finding=finding.model_copy(update={"verification": proof})))
    ).findings
    assert "after" not in dict(alone.claim)
