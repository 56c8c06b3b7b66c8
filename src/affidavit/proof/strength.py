"""Rank the proof of findings, and show with a group the strongest proof that any of its findings has."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from affidavit.records.candidate import Candidate
from affidavit.records.docket import Docket

RAN = {"reproduced": 0, "reproduced_new": 1}
LOOKED_UP, READ = 2, 3


def strength(candidate: Candidate) -> int:
    """Rank what the machine saw, strongest first: a program that ran, a search or a package, a quote."""
    if candidate.reproduction and candidate.reproduction.outcome in RAN:
        return RAN[candidate.reproduction.outcome]
    has_searched = any(run.state == "nothing_found" for run in candidate.searches)
    has_read = any(one.is_found for one in candidate.dependency_quotes)
    return LOOKED_UP if has_searched or has_read else READ


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
            known[leader.id] = borrow(leader, sorted(others, key=strength))
    return docket.then(known.values())


def _borrow(leader: Candidate, members: Iterable[Candidate]) -> Candidate:
    for member in members:
        check = member.reproduction
        if check and check.outcome in RAN and strength(leader) > strength(member):
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
    proof_from = {**leader.proof_from, name: member.id}
    words = name.replace("_", " ")
    return leader.then("merge", f"{words} of {member.id}", finding=finding, proof_from=proof_from, **update)
