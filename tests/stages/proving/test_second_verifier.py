"""A second verifier."""

from scripted_verifiers import EXACT, NO, SILENT, YES, Answers, judges, verify

from affidavit.ports import Verifiers
from affidavit.records.candidate import Status, Worth
from affidavit.records.diagnostics import Reason
from affidavit.stages.verify import unanswered
from claims import candidate, finding


def asked(verifiers: Verifiers) -> list[int]:
    every = [verifiers.first, *([verifiers.second] if verifiers.second else [])]
    return [one.asked for one in every if isinstance(one, Answers)]


def test_what_both_verifiers_confirm_is_verified_with_the_milder_worth() -> None:
    result = verify(candidate(quote=EXACT), judges(YES, second={**YES, "worth": "maybe"}))
    assert (result.status, result.worth) == (Status.VERIFIED, Worth.MAYBE)
    assert [(one.by, one.role) for one in result.judgements] == [
        ("verifier", "verifier"),
        ("verifier", "second_verifier"),
        ("ruling", "verifier"),
    ]


def test_a_finding_that_the_second_verifier_refutes_is_withheld_with_its_reason() -> None:
    result = verify(candidate(quote=EXACT), judges(YES, second=NO))
    assert result.withheld is not None
    assert (result.withheld.code, result.withheld.detail) == (
        Reason.REFUTED,
        "two refutes it: app.py:3 guards it",
    )


def test_a_second_verifier_that_was_cut_off_refutes_nothing_and_leaves_it_likely() -> None:
    result = verify(candidate(quote=EXACT), judges(YES, second=SILENT))
    assert (result.status, result.withheld) == (Status.LIKELY, None)
    (part,) = unanswered([result])
    assert part.name == "second verifier"


def test_what_the_first_verifier_refuted_is_not_paid_for_twice() -> None:
    verifiers = judges(NO, second=YES)
    assert verify(candidate(quote=EXACT), verifiers).status is Status.FALSE_POSITIVE
    assert asked(verifiers) == [1, 0]


def test_where_the_budget_ended_with_the_first_the_second_is_not_asked() -> None:
    verifiers = judges({"outcome": "skipped"}, second=YES)
    assert verify(candidate(quote=EXACT), verifiers).status is Status.UNVERIFIED
    assert asked(verifiers) == [1, 0]


def test_of_two_verifiers_the_milder_severity_counts() -> None:
    first = Answers(answer="CONFIRMED", worth="act", severity="critical", model="one")
    other = Answers(answer="CONFIRMED", worth="act", severity="low", model="two", role="second_verifier")
    judged = verify(candidate(finding(severity="high"), quote=EXACT), Verifiers(first, other))
    assert judged.finding is not None
    assert judged.finding.severity == "low"
