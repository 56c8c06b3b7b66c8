import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from affidavit.events import Event, ignore_events
from affidavit.ports import Judged, Verifiers
from affidavit.proof.places import MAX_FILES_ASKED
from affidavit.records.candidate import Candidate, Judgement, Status, Worth
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket, Group
from affidavit.records.evidence import QuoteCheck, SearchHit, SearchRun
from affidavit.records.finding import Search
from affidavit.records.report import Gap, RoleUsage
from affidavit.stages.verify import unanswered
from affidavit.stages.verify import verify as verify_docket
from claims import candidate, finding

EXACT = QuoteCheck(outcome="exact", file="app.py", side="head")
SPENT = RoleUsage(role="verifier", model="one", requests=1)
HIT = SearchHit(path="app.py", line=3, text="guard(total)")


class Answers:
    """A verifier with a fixed answer."""

    def __init__(self, **answer: Any) -> None:
        self.answer = Judgement(by="verifier", **answer)
        self.asked = 0

    async def judge(self, candidate: Candidate) -> Judged:
        self.asked += 1
        return Judged(judgement=self.answer, usage=(SPENT,))


def judged(items: Sequence[Candidate], verifier: Any, emit: Any, *groups: Group) -> Docket:
    verifiers = verifier if verifier is None or isinstance(verifier, Verifiers) else Verifiers(verifier)
    docket = asyncio.run(verify_docket(Docket(candidates=tuple(items), groups=groups), verifiers, emit))
    # Whatever a step returns, another process can go on with it.
    assert Docket.model_validate_json(docket.model_dump_json()) == docket
    return docket


def verify(item: Candidate, verifier: Any = None, emit: Any = ignore_events) -> Candidate:
    return judged([item], verifier, emit).candidates[0]


def test_what_the_machine_found_is_verified_and_worth_what_its_rule_says() -> None:
    act = verify(candidate(finding(rule_id="ruff/F821"), kind="mechanical", quote=EXACT))
    nit = verify(candidate(finding(rule_id="ruff/F401"), kind="mechanical", quote=EXACT))
    assert (act.status, act.worth, act.confidence) == (Status.VERIFIED, Worth.ACT, "high")
    assert (nit.status, nit.worth) == (Status.VERIFIED, Worth.NIT)


def test_with_a_verifier_only_the_worth_of_a_mechanical_finding_is_asked() -> None:
    found = candidate(finding(rule_id="ruff/F821"), kind="mechanical", quote=EXACT)
    doubted = verify(found, Answers(answer="REFUTED", worth="maybe"))
    assert (doubted.status, doubted.worth, doubted.withheld) == (Status.VERIFIED, Worth.ACT, None)
    silent = verify(found, Answers(outcome="failed"))
    assert (silent.status, silent.worth) == (Status.VERIFIED, Worth.ACT)


def test_without_a_verifier_a_models_finding_is_unverified_and_stays() -> None:
    result = verify(candidate(quote=EXACT))
    assert (result.status, result.withheld, result.confidence) == (Status.UNVERIFIED, None, "low")


def test_a_confirmed_finding_is_verified() -> None:
    result = verify(candidate(quote=EXACT), Answers(answer="CONFIRMED", worth="act"))
    assert (result.status, result.worth, result.confidence) == (Status.VERIFIED, Worth.ACT, "high")


def test_a_qualified_confirmation_is_only_likely() -> None:
    result = verify(candidate(quote=EXACT), Answers(answer="CONFIRMED", worth="act", qualified=True))
    assert (result.status, result.confidence) == (Status.LIKELY, "medium")


def test_a_confirmation_that_leaves_the_worth_out_is_a_maybe() -> None:
    assert verify(candidate(quote=EXACT), Answers(answer="CONFIRMED")).worth is Worth.MAYBE


@pytest.mark.parametrize(
    ("is_absence", "hits", "code"),
    [
        (True, (HIT,), Reason.ABSENCE_DISPROVED),
        (True, (), Reason.REFUTED),
        (False, (HIT,), Reason.REFUTED),
    ],
)
def test_an_absence_that_is_refuted_with_a_hit_at_hand_is_disproved(
    is_absence: bool, hits: tuple[SearchHit, ...], code: Reason
) -> None:
    search = Search(pattern="guard")
    claim = finding(evidence={"is_absence_finding": is_absence, "searches": (search,)})
    run = SearchRun(search=search, state="hits" if hits else "nothing_found", hits=hits)
    item = candidate(claim, quote=EXACT, searches=(run,))
    result = verify(item, Answers(answer="REFUTED", reason="app.py:3 guards it"))
    assert result.withheld is not None
    assert (result.withheld.code, result.withheld.detail) == (code, "app.py:3 guards it")
    assert result.status is Status.FALSE_POSITIVE


def test_a_refuted_finding_is_withheld_as_a_false_positive() -> None:
    result = verify(candidate(quote=EXACT), Answers(answer="REFUTED", reason="app.py:3 guards it"))
    assert result.withheld is not None
    assert (result.withheld.code, result.withheld.detail) == (Reason.REFUTED, "app.py:3 guards it")
    assert result.status is Status.FALSE_POSITIVE


@pytest.mark.parametrize("outcome", ["cut_off", "failed", "refused", "skipped"])
def test_a_verifier_without_an_answer_refutes_nothing(outcome: str) -> None:
    result = verify(candidate(quote=EXACT), Answers(outcome=outcome))
    assert (result.status, result.withheld) == (Status.UNVERIFIED, None)


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ("cut_off", Reason.VERIFIER_FAILED),
        ("failed", Reason.VERIFIER_FAILED),
        ("refused", Reason.VERIFIER_FAILED),
        ("skipped", Reason.BUDGET_EXHAUSTED),
    ],
)
def test_each_judgement_that_was_not_given_is_a_diagnostic(outcome: str, code: Reason) -> None:
    silent = Answers(outcome=outcome, model="one", reason="timed out")
    (said,) = judged([candidate(quote=EXACT)], silent, ignore_events).diagnostics
    assert (said.code, said.detail, said.specialist, said.id) == (code, "timed out", "logic", "f1")


def test_a_judgement_that_was_given_is_no_diagnostic() -> None:
    given = Answers(answer="CONFIRMED", worth="act")
    assert judged([candidate(quote=EXACT)], given, ignore_events).diagnostics == ()


def test_what_judging_costs_is_in_the_docket_and_a_gap_is_said() -> None:
    docket = judged([candidate(quote=EXACT)], judges(YES, YES, second=SILENT), ignore_events)
    assert docket.usage == (SPENT, SPENT, SPENT)
    assert [gap.name for gap in docket.incomplete] == ["second verifier"]


def test_a_finding_that_has_ended_is_not_judged() -> None:
    verifier = Answers(answer="CONFIRMED")
    verify(candidate().withhold("evidence", Reason.EVIDENCE_NOT_FOUND), verifier)
    assert verifier.asked == 0


def test_agreement_raises_the_confidence_in_an_unverified_finding() -> None:
    assert verify(candidate(quote=EXACT, agreed_by=("security",))).confidence == "medium"


def test_each_judged_finding_is_told() -> None:
    told: list[Event] = []
    verify(candidate(quote=EXACT), Answers(answer="CONFIRMED", worth="act"), told.append)
    (event,) = [event for event in told if event.name == "finding.verified"]
    assert {"title", "status", "confidence", "finding_id", "specialist", "timestamp"} <= event.data.keys()


def test_the_verifier_that_did_not_answer_on_the_worth_of_a_mechanical_finding_is_named() -> None:
    found = candidate(finding(rule_id="ruff/F821"), kind="mechanical", quote=EXACT)
    silent = verify(found, Answers(outcome="failed", model="one", reason="timed out"))
    assert unanswered([silent]) == [Gap(name="verifier", reason="no answer on 1 finding: timed out")]


def test_the_word_of_a_verifier_on_the_truth_of_a_mechanical_finding_is_not_kept() -> None:
    found = candidate(finding(rule_id="ruff/F821"), kind="mechanical", quote=EXACT)
    doubted = verify(found, Answers(answer="REFUTED", worth="nit", reason="taste", model="one"))
    assert [(one.by, one.answer) for one in doubted.judgements] == [
        ("verifier", None),
        ("machine", "CONFIRMED"),
    ]
    assert "taste" not in doubted.judgements[-1].reason
    assert doubted.doubt == "taste"


@pytest.mark.parametrize("severity", ["critical", "high", "medium", "low"])
@pytest.mark.parametrize("worth", ["maybe", "nit"])
def test_a_verifier_may_doubt_what_the_machine_proved_and_lowers_nothing(severity: str, worth: str) -> None:
    claim = finding(rule_id="ruff/F821", severity=severity)
    answered = Answers(answer="CONFIRMED", worth=worth, model="one", reason="app.py:9 guards it")
    doubted = verify(candidate(claim, kind="mechanical", quote=EXACT), answered)
    assert (doubted.status, doubted.worth, doubted.withheld) == (Status.VERIFIED, Worth.ACT, None)
    assert doubted.doubt == "app.py:9 guards it"
    assert doubted.finding
    assert doubted.finding.severity == severity


def test_a_verifier_that_would_act_as_its_rule_asks_doubts_nothing() -> None:
    found = candidate(finding(rule_id="ruff/F821"), kind="mechanical", quote=EXACT)
    assert verify(found, Answers(answer="CONFIRMED", worth="act", reason="yes")).doubt == ""


def judges(*answers: dict[str, Any], second: dict[str, Any] | None = None) -> Verifiers:
    """The first verifier's votes, and the second's answer."""
    votes = [Answers(model="one", take=take, **answer) for take, answer in enumerate(answers, start=1)]
    other = Answers(model="two", role="second_verifier", **second) if second else None
    return Verifiers(votes[0], tuple(votes[1:]), other)


YES = {"judgment": "CONFIRMED", "worth": "act", "reason": "app.py:2"}
NO = {"judgment": "REFUTED", "worth": "nit", "reason": "app.py:3 guards it"}
SILENT = {"outcome": "cut_off", "reason": "the reply reached the limit of tokens"}


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


class Refuting:
    """A verifier that refutes findings by their title."""

    def __init__(self, *titles: str) -> None:
        self.titles = titles
        self.asked: list[str] = []

    async def judge(self, candidate: Candidate) -> Judged:
        title = candidate.finding.title if candidate.finding else ""
        self.asked.append(title)
        answer = "REFUTED" if title in self.titles else "CONFIRMED"
        return Judged(judgement=Judgement(by="verifier", answer=answer, worth="act", reason="r"))


KEPT = "The total starts with one"
OTHER = "Refunds ignore their currency"
THIRD = "Refunds ignore every currency"
UNLIKE = "Receipts arrive without decimals after midnight whenever nobody prints"


def joined(*titles: str, kind: str = "model") -> list[Candidate]:
    """The first leads, the others are its members."""
    return [
        candidate(finding(title=title, message=title), id=f"m-{at}", index=at, quote=EXACT, kind=kind)
        for at, title in enumerate(titles)
    ]


def verify_all(
    items: list[Candidate], verifier: Refuting, emit: Any = ignore_events
) -> tuple[Candidate, ...]:
    group = Group(leader="m-0", members=tuple(one.id for one in items[1:]))
    return judged(items, verifier, emit, group).candidates


@pytest.mark.parametrize("kind", ["model", "outside"])
def test_a_duplicate_is_judged_by_itself_where_the_finding_that_stood_for_it_is_refuted(kind: str) -> None:
    told: list[Event] = []
    verifier = Refuting(KEPT)
    kept, other = verify_all(joined(KEPT, OTHER, kind=kind), verifier, told.append)
    assert kept.withheld is not None
    assert (other.withheld, other.status) == (None, Status.VERIFIED)
    assert any("judged by itself" in step.what for step in other.steps)
    assert [event.data["finding_id"] for event in told if event.name == "finding.detected"] == [
        "m-0",
        "m-1",
    ]


def test_the_first_duplicate_that_stands_has_the_others_for_its_duplicates() -> None:
    verifier = Refuting(KEPT)
    _, other, third = verify_all(joined(KEPT, OTHER, THIRD), verifier)
    assert other.withheld is None
    assert third.withheld is not None
    assert (third.withheld.code, third.withheld.detail) == (Reason.DUPLICATE_OF, "m-1")
    assert verifier.asked == [KEPT, OTHER]


def test_a_duplicate_that_is_unlike_the_one_that_stands_is_judged_as_well() -> None:
    verifier = Refuting(KEPT)
    _, other, unlike = verify_all(joined(KEPT, OTHER, UNLIKE), verifier)
    assert (other.withheld, unlike.withheld) == (None, None)
    assert verifier.asked == [KEPT, OTHER, UNLIKE]


def test_a_duplicate_that_is_refuted_as_well_is_withheld_as_refuted() -> None:
    _, other, third = verify_all(joined(KEPT, OTHER, THIRD), Refuting(KEPT, OTHER, THIRD))
    assert [one.withheld.code for one in (other, third) if one.withheld] == [Reason.REFUTED, Reason.REFUTED]


def test_a_duplicate_in_the_same_words_falls_with_the_finding_that_is_refuted() -> None:
    verifier = Refuting(KEPT)
    _, same = verify_all(joined(KEPT, KEPT), verifier)
    assert same.withheld is not None
    assert same.withheld.code is Reason.DUPLICATE_OF
    assert verifier.asked == [KEPT]


def test_a_duplicate_of_a_confirmed_finding_is_not_judged() -> None:
    verifier = Refuting()
    assert verify_all(joined(KEPT, OTHER), verifier)[1].withheld is not None
    assert verifier.asked == [KEPT]


def reported(index: int, **fields: Any) -> Candidate:
    claim = finding(**{"rule_id": "ruff/F821", "severity": "medium", "line": index + 1, **fields})
    return candidate(
        claim, id=f"ruff-{index}", index=index, specialist="ruff", kind="mechanical", quote=EXACT
    )


def test_the_worth_of_a_rule_is_asked_once_a_file_and_the_answer_is_for_all() -> None:
    verifier = Answers(answer="CONFIRMED", worth="maybe", reason="app.py:1")
    docket = judged([reported(number) for number in range(900)], verifier, ignore_events)
    assert verifier.asked == 1
    assert {one.doubt for one in docket.candidates} == {"app.py:1"}
    assert len(docket.usage) == 1


def test_a_rule_is_asked_about_in_a_few_files_only() -> None:
    verifier = Answers(answer="CONFIRMED", worth="act")
    judged([reported(number, file=f"{number}.py") for number in range(100)], verifier, ignore_events)
    assert verifier.asked == MAX_FILES_ASKED


def test_the_verifier_is_not_asked_about_many_findings_that_block_whatever_it_says() -> None:
    verifier = Answers(answer="CONFIRMED", worth="nit")
    docket = judged([reported(number, severity="high") for number in range(9)], verifier, ignore_events)
    assert verifier.asked == 0
    assert {(one.status, one.worth) for one in docket.candidates} == {(Status.VERIFIED, Worth.ACT)}


class ByTitle:
    """A verifier with an answer for each title."""

    def __init__(self, **answers: dict[str, Any]) -> None:
        self.answers = answers
        self.asked: list[str] = []

    async def judge(self, candidate: Candidate) -> Judged:
        title = candidate.finding.title if candidate.finding else ""
        self.asked.append(title)
        judgement = Judgement(
            by="verifier", **self.answers.get(title, {"answer": "CONFIRMED", "worth": "act"})
        )
        return Judged(judgement=judgement, usage=(SPENT,))


REFUTED: dict[str, Any] = {"answer": "REFUTED", "worth": "nit"}
MAYBE: dict[str, Any] = {"answer": "CONFIRMED", "worth": "maybe"}
NIT: dict[str, Any] = {"answer": "CONFIRMED", "worth": "nit"}


def of_one_cause(verifier: Any, *titles: str, kind: str = "model") -> Docket:
    items = [
        candidate(
            finding(title=title, rule_id="ruff/F821" if kind == "mechanical" and at == 0 else None),
            id=title,
            index=at,
            quote=EXACT,
            fingerprint=f"print-{title}",
            kind=kind if at == 0 else "model",
        )
        for at, title in enumerate(titles)
    ]
    group = Group(leader=titles[0], members=titles[1:], cause="the loop starts at 1")
    return judged(items, verifier, ignore_events, group)


def ends_of(docket: Docket) -> list[str]:
    return [
        f"{one.withheld.code} {one.withheld.detail}".strip() if one.withheld else "shown"
        for one in docket.candidates
    ]


def test_one_that_is_confirmed_and_worth_acting_on_stands_for_its_cause() -> None:
    verifier = ByTitle()
    docket = of_one_cause(verifier, "a", "b", "c")
    assert verifier.asked == ["a"]
    assert ends_of(docket) == ["shown", "duplicate_of a", "duplicate_of a"]
    assert docket.candidates[0].carries == ("print-b", "print-c")
    assert len(docket.usage) == 1


def test_the_next_of_a_cause_is_judged_until_one_is_worth_acting_on() -> None:
    verifier = ByTitle(a=MAYBE, b=REFUTED)
    docket = of_one_cause(verifier, "a", "b", "c", "d")
    assert verifier.asked == ["a", "b", "c"]
    assert ends_of(docket) == ["duplicate_of c", "refuted", "shown", "duplicate_of c"]
    assert set(docket.candidates[2].carries) == {"print-a", "print-b", "print-d"}
    assert len(docket.usage) == 3


@pytest.mark.parametrize(
    ("answers", "ends"),
    [
        ({"a": REFUTED, "b": MAYBE, "c": NIT}, ["refuted", "shown", "duplicate_of b", "duplicate_of b"]),
        ({"a": NIT, "b": NIT, "c": NIT}, ["shown", "duplicate_of a", "duplicate_of a", "duplicate_of a"]),
        ({"a": REFUTED, "b": REFUTED, "c": REFUTED}, ["refuted", "refuted", "refuted", "duplicate_of a"]),
    ],
)
def test_three_of_a_cause_are_judged_at_most_and_the_best_outcome_stands(
    answers: dict[str, dict[str, Any]], ends: list[str]
) -> None:
    verifier = ByTitle(**answers)
    assert ends_of(of_one_cause(verifier, "a", "b", "c", "d")) == ends
    assert verifier.asked == ["a", "b", "c"]


def test_what_is_proven_stands_for_its_cause_and_the_models_words_come_under_it() -> None:
    verifier = ByTitle()
    docket = of_one_cause(verifier, "a", "b", kind="mechanical")
    assert ends_of(docket) == ["shown", "duplicate_of a"]
    assert verifier.asked == ["a"]


def test_what_is_proven_and_a_nit_by_its_rule_buries_nothing_and_is_absorbed_by_nobody() -> None:
    proven = candidate(finding(title="a", rule_id="ruff/F401"), id="a", kind="mechanical", quote=EXACT)
    others = [
        candidate(finding(title=name), id=name, index=at, quote=EXACT) for at, name in enumerate("bc", 1)
    ]
    verifier = ByTitle()
    group = Group(leader="a", members=("b", "c"), cause="why")
    docket = judged([proven, *others], verifier, ignore_events, group)
    assert ends_of(docket) == ["shown", "shown", "duplicate_of b"]
    assert docket.candidates[0].worth is Worth.NIT
    assert verifier.asked == ["b"]
    assert len(docket.usage) == 1


def test_the_verifier_s_severity_counts_and_the_claimed_one_is_kept() -> None:
    verdict = Answers(answer="CONFIRMED", worth="act", severity="low")
    lower = verify(candidate(finding(severity="high"), quote=EXACT), verdict)
    assert lower.finding is not None
    assert (lower.finding.severity, lower.claimed_severity) == ("low", "high")
    same = verify(candidate(finding(severity="low"), quote=EXACT), verdict)
    assert same.claimed_severity is None


def test_a_proven_finding_keeps_the_severity_of_its_rule() -> None:
    found = candidate(finding(rule_id="ruff/F821", severity="high"), kind="mechanical", quote=EXACT)
    judged_by_all = verify(
        found, Answers(answer="CONFIRMED", worth="nit", severity="info", scenario="unchanged")
    )
    assert judged_by_all.finding is not None
    assert (judged_by_all.finding.severity, judged_by_all.claimed_severity) == ("high", None)
    assert judged_by_all.judgements[0].severity is None


def test_of_several_votes_the_severity_in_the_middle_counts() -> None:
    votes = [
        Answers(answer="CONFIRMED", worth="act", severity=severity, take=take, model="one")
        for take, severity in enumerate(("critical", "low", "medium"), 1)
    ]
    item = candidate(finding(severity="high"), quote=EXACT)
    counted = verify(item, Verifiers(votes[0], tuple(votes[1:])))
    assert counted.finding is not None
    assert counted.finding.severity == "medium"


def test_so_many_findings_are_verified_that_the_number_grows_slower_than_they_do() -> None:
    items = [
        candidate(finding(severity="low" if at else "high", title=str(at)), id=f"logic-{at}", index=at)
        for at in range(900)
    ]
    verifier = ByTitle()
    docket = judged(items, verifier, ignore_events)
    assert len(verifier.asked) == 144
    assert "0" in verifier.asked
    unasked = [one for one in docket.candidates if one.status is Status.UNVERIFIED]
    assert len(unasked) == 900 - 144
    assert [gap.reason for gap in docket.incomplete] == [
        "756 findings not verified: there are more than are verified in one review"
    ]
