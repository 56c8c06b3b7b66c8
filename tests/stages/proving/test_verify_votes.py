"""Several votes of one verifier, and a second verifier."""

from scripted_verifiers import EXACT, NO, SILENT, YES, Answers, judges, verify

from affidavit.ports import Verifiers
from affidavit.records.candidate import Status, Worth
from affidavit.records.diagnostics import Reason
from affidavit.stages.verify import unanswered
from claims import candidate, finding


def asked(verifiers: Verifiers) -> list[int]:
    every = [verifiers.first, *verifiers.voters, *([verifiers.second] if verifiers.second else [])]
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


def test_votes_are_cast_on_grave_findings_only() -> None:
    for severity, count in (("critical", 3), ("high", 3), ("medium", 1), ("info", 1)):
        verifiers = judges(YES, YES, YES)
        verify(candidate(finding(severity=severity), quote=EXACT), verifiers)
        assert sum(asked(verifiers)) == count


def test_the_majority_of_votes_decides_and_every_vote_stands_on_the_candidate() -> None:
    result = verify(candidate(quote=EXACT), judges(YES, NO, NO))
    assert result.withheld is not None
    assert result.withheld.detail == "of 3 votes 1 confirm, 2 refute: app.py:3 guards it"
    assert [(one.by, one.take) for one in result.judgements] == [
        ("verifier", 1),
        ("verifier", 2),
        ("verifier", 3),
        ("ruling", 1),
    ]


def test_votes_without_a_majority_leave_the_finding_unverified_and_say_so() -> None:
    result = verify(candidate(quote=EXACT), judges(YES, NO, SILENT))
    assert (result.status, result.withheld) == (Status.UNVERIFIED, None)
    (part,) = unanswered([result])
    tally = "of 3 votes 1 confirm, 1 refute, 1 without an answer (cut off)"
    assert part.reason == f"no answer on 1 finding: no majority: {tally}"


def test_a_vote_that_the_majority_can_spare_leaves_the_review_complete() -> None:
    result = verify(candidate(quote=EXACT), judges(YES, SILENT, YES))
    assert (result.status, unanswered([result])) == (Status.VERIFIED, [])
    assert "1 without an answer (cut off)" in result.judgements[-1].reason


def test_of_several_votes_the_severity_in_the_middle_counts() -> None:
    votes = [
        Answers(answer="CONFIRMED", worth="act", severity=severity, take=take, model="one")
        for take, severity in enumerate(("critical", "low", "medium"), 1)
    ]
    item = candidate(finding(severity="high"), quote=EXACT)
    counted = verify(item, Verifiers(votes[0], tuple(votes[1:])))
    assert counted.finding is not None
    assert counted.finding.severity == "medium"
