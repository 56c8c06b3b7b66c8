"""Which finding of a group has the best proof, and what it gets from the others."""

from operator import attrgetter
from typing import Any

import pytest

from affidavit.proof.lending import lend_patches, lend_proof
from affidavit.records.candidate import Candidate, Withheld
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket, Group
from affidavit.records.evidence import DependencyCheck, ReproductionCheck, ReproductionOutcome, SearchRun
from affidavit.records.finding import Search
from affidavit.records.program_runs import PatchTrial
from claims import candidate, finding

PROGRAM = {"language": "python", "program": "1/0", "expected_at_head": {"exit_code": 1}}
NOTHING = SearchRun(search=Search(pattern="x"), state="nothing_found")
QUOTED = DependencyCheck(outcome="exact", package="p", version="1", file="a.py", sha256="s", start=1)


def one(
    name: str, *, ran: ReproductionOutcome | None = None, kind: str = "model", **fields: Any
) -> Candidate:
    evidence = {**fields.pop("evidence", {}), **({"reproduction": PROGRAM} if ran else {})}
    check = ReproductionCheck(outcome=ran) if ran else None
    return candidate(finding(evidence), id=name, specialist=name, kind=kind, reproduction=check, **fields)


def lent(*candidates: Candidate, lend: Any = lend_proof) -> Candidate:
    first, *others = candidates
    group = Group(leader=first.id, members=tuple(one.id for one in others))
    result: Docket = lend(Docket(candidates=candidates, groups=(group,)))
    return result.candidates[0]


def test_what_ran_is_stronger_than_what_was_looked_up_and_that_than_what_was_read() -> None:
    in_order = [
        one("a", ran="reproduced"),
        one("b", ran="reproduced_new"),
        one("c", searches=(NOTHING,)),
        one("d", ran="not_reproduced"),
    ]
    assert sorted(in_order, key=attrgetter("proof_rank")) == in_order
    assert in_order[2].proof_rank == one("e", dependency_quotes=(QUOTED,)).proof_rank


def test_a_leader_shows_the_program_of_another_and_says_whose_it_is() -> None:
    leader = lent(one("a"), one("b", ran="reproduced"))
    assert leader.reproduction
    assert leader.reproduction.outcome == "reproduced"
    assert leader.evidence.reproduction
    assert leader.evidence.reproduction.program == "1/0"
    assert leader.proof_from == (("reproduction", "b"),)


@pytest.mark.parametrize("ran", ["not_reproduced", "flaky", "could_not_run", "also_at_base"])
def test_a_program_that_shows_nothing_is_not_lent(ran: ReproductionOutcome) -> None:
    assert lent(one("a"), one("b", ran=ran)).reproduction is None


def test_a_leader_keeps_proof_of_its_own() -> None:
    assert lent(one("a", ran="reproduced"), one("b", ran="reproduced")).proof_from == ()


def test_searches_and_quotes_of_packages_are_lent() -> None:
    leader = lent(one("a"), one("b", searches=(NOTHING,)), one("c", dependency_quotes=(QUOTED,)))
    assert leader.searches == (NOTHING,)
    assert leader.dependency_quotes == (QUOTED,)
    assert leader.proof_from == (("searches", "b"), ("dependency_quotes", "c"))


def test_a_finding_of_an_analyser_borrows_nothing() -> None:
    assert lent(one("a", kind="mechanical"), one("b", ran="reproduced")).reproduction is None


def with_patch(name: str, *, holds: bool | None, is_duplicate: bool = True) -> Candidate:
    trial = None if holds is None else PatchTrial(steps=(), holds=holds)
    withheld = Withheld(code=Reason.DUPLICATE_OF, detail="a") if is_duplicate else None
    return one(name, evidence={"patch": f"--- {name}"}, patch_trial=trial, withheld=withheld)


@pytest.mark.parametrize(
    ("own", "members", "chosen"),
    [
        (one("a"), [False, True], "c"),
        (one("a"), [None], "b"),
        (with_patch("a", holds=False, is_duplicate=False), [True], "b"),
        (with_patch("a", holds=False, is_duplicate=False), [False], None),
        (with_patch("a", holds=True, is_duplicate=False), [True], None),
    ],
)
def test_a_leader_without_a_patch_that_holds_gets_one(
    own: Candidate, members: list[bool | None], chosen: str | None
) -> None:
    others = [with_patch(name, holds=holds) for name, holds in zip("bc", members, strict=False)]
    leader = lent(own, *others, lend=lend_patches)
    assert (leader.lender("patch") or None) == chosen
    if chosen:
        assert leader.evidence.patch == f"--- {chosen}"


def test_a_patch_of_a_refuted_finding_is_not_lent() -> None:
    refuted = with_patch("b", holds=True).model_copy(update={"withheld": Withheld(code=Reason.REFUTED)})
    assert lent(one("a"), refuted, lend=lend_patches).evidence.patch is None
