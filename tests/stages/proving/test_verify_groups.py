"""Who of a group is judged, and who stands for it then."""

from typing import Any

import pytest
from scripted_verifiers import EXACT, MAYBE, NIT, REFUTED, ByTitle, judged

from affidavit.events import Event, ignore_events
from affidavit.ports import Judged
from affidavit.records.candidate import Candidate, Judgement, Status, Worth
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket, Group
from claims import candidate, finding


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
    assert any("judged separately" in step.what for step in other.steps)
    assert [event.data["finding_id"] for event in told if event.name == "finding.detected"] == [
        "m-0",
        "m-1",
    ]


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


@pytest.mark.parametrize("answer", [MAYBE, NIT])
def test_a_cause_is_judged_once_where_its_best_proven_finding_is_confirmed(answer: dict[str, Any]) -> None:
    verifier = ByTitle(a=answer)
    assert ends_of(of_one_cause(verifier, "a", "b", "c")) == ["shown", "duplicate_of a", "duplicate_of a"]
    assert verifier.asked == ["a"]


def test_the_next_of_a_cause_is_judged_where_the_one_before_is_refuted() -> None:
    verifier = ByTitle(a=REFUTED, b=MAYBE)
    docket = of_one_cause(verifier, "a", "b", "c", "d")
    assert verifier.asked == ["a", "b"]
    assert ends_of(docket) == ["refuted", "shown", "duplicate_of b", "duplicate_of b"]
    assert set(docket.candidates[1].carries) == {"print-a", "print-c", "print-d"}
    assert len(docket.usage) == 2


def test_three_of_a_cause_are_judged_at_most() -> None:
    verifier = ByTitle(a=REFUTED, b=REFUTED, c=REFUTED)
    assert ends_of(of_one_cause(verifier, "a", "b", "c", "d")) == [
        "refuted",
        "refuted",
        "refuted",
        "duplicate_of a",
    ]
    assert verifier.asked == ["a", "b", "c"]


def test_what_is_proven_stands_for_its_cause_and_the_models_words_come_under_it() -> None:
    verifier = ByTitle()
    docket = of_one_cause(verifier, "a", "b", kind="mechanical")
    assert ends_of(docket) == ["shown", "duplicate_of a"]
    assert verifier.asked == []


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
