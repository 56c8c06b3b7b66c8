"""Show with a group of findings the strongest proof that any of them has."""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from affidavit.records.candidate import Candidate
from affidavit.records.docket import Docket


def lend_proof(docket: Docket) -> Docket:
    """Give the leader of each group the proof that it lacks and another finding of the group has."""
    return _lend(docket, _borrow)


def lend_patches(docket: Docket) -> Docket:
    """Give each leader without a patch that holds the patch of another finding of its group."""
    return _lend(docket, _borrow_patch)


def _lend(docket: Docket, borrow: Callable[[Candidate, Sequence[Candidate]], Candidate]) -> Docket:
    known = {one.id: one for one in docket.candidates}
    for group in docket.groups:
        together = [known[name] for name in (group.leader, *group.members)]
        # Where the first is refuted, another one represents the group.
        leader = next((one for one in together if one.is_shown), None)
        if leader and not leader.is_proven_by_machine:
            others = [one for one in together if one is not leader]
            known[leader.id] = borrow(leader, sorted(others, key=attrgetter("proof_rank")))
    return docket.then(known.values())


def _borrow(leader: Candidate, members: Iterable[Candidate]) -> Candidate:
    for member in members:
        check = member.reproduction
        if check and check.is_shown_by_running and leader.proof_rank > member.proof_rank:
            leader = _with(leader, member, "reproduction", reproduction=check)
        if not leader.searches and any(run.state == "nothing_found" for run in member.searches):
            leader = _with(leader, member, "searches", searches=member.searches)
        stands = any(one.is_found for one in member.dependency_quotes)
        if stands and not any(one.is_found for one in leader.dependency_quotes):
            leader = _with(leader, member, "dependency_quotes", dependency_quotes=member.dependency_quotes)
    return leader


def _borrow_patch(leader: Candidate, members: Iterable[Candidate]) -> Candidate:
    trial = leader.patch_trial
    if trial and trial.holds:
        return leader
    offering = [one for one in members if one.evidence.patch and one.duplicate_of]
    holding = [one for one in offering if one.patch_trial and one.patch_trial.holds]
    chosen = holding or ([] if leader.evidence.patch else offering)
    return _with(leader, chosen[0], "patch", patch_trial=chosen[0].patch_trial) if chosen else leader


def _with(leader: Candidate, member: Candidate, name: str, **update: Any) -> Candidate:
    """Return the leader with one kind of a member's proof, and the declaration of that proof."""
    evidence = leader.evidence.model_copy(update={name: getattr(member.evidence, name)})
    finding = leader.claim.model_copy(update={"verification": evidence})
    proof_from = (*leader.proof_from, (name, member.id))
    words = name.replace("_", " ")
    return leader.then("merge", f"{words} of {member.id}", finding=finding, proof_from=proof_from, **update)
