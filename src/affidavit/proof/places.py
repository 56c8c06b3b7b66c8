"""One rule that speaks of many places of a file: candidates in, one of them stands for the others."""

from collections import defaultdict
from collections.abc import Sequence

from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason

MANY = 5
"""So many findings of one rule in one file are read one by one; more are one finding with its places."""
MAX_FILES_ASKED = 5
"""In so many files a verifier is asked what a rule's findings are worth; the rest is like them."""

Spot = tuple[str, str, str]


def spot_of(candidate: Candidate) -> Spot | None:
    """The rule, the file and its side: what makes proven findings one group; None for what a model said."""
    finding = candidate.finding
    if finding is None or not candidate.is_proven_by_machine:
        return None
    return finding.rule_id or candidate.id, finding.file, finding.side


def crowded_spots(candidates: Sequence[Candidate]) -> dict[Spot, list[Candidate]]:
    """The findings of each rule that has more in a file than anybody reads, the worst and first one first."""
    spots: dict[Spot, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        spot = spot_of(candidate)
        if spot is not None and candidate.is_shown:
            spots[spot].append(candidate)
    return {spot: sorted(group, key=_worst_first) for spot, group in spots.items() if len(group) > MANY}


def gather_places(candidates: Sequence[Candidate], stage: str) -> list[Candidate]:
    """Let one finding stand for its like in the same file: the others are withheld as its duplicates."""
    leader_of = {
        member.id: leader.id for leader, *members in crowded_spots(candidates).values() for member in members
    }
    return [
        one.withhold(stage, Reason.DUPLICATE_OF, leader_of[one.id]) if one.id in leader_of else one
        for one in candidates
    ]


def _worst_first(candidate: Candidate) -> tuple[int, int, int]:
    finding = candidate.finding
    return (finding.severity.rank, finding.line, candidate.index) if finding else (9, 0, candidate.index)
