"""Group findings that say the same, count the agreement of distinct specialists, fingerprint each."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from affidavit.ports import Case
from affidavit.proof.likeness import SIMILAR_WORDS, claim_words, likeness
from affidavit.proof.quotes import fold
from affidavit.records.candidate import Candidate
from affidavit.records.docket import Docket, Group
from affidavit.records.finding import NEAR_LINES, Finding
from affidavit.specialists.rulebook import same_problem

STAGE = "merge"
KIND_ORDER = {"mechanical": 0, "model": 1, "outside": 2}
QUOTE_ORDER = {"exact": 0, "relocated": 1, "ambiguous": 2}


def group_duplicates(docket: Docket, _case: Case) -> Docket:
    """Group what says the same: the best proven leads, who agrees is noted there, nobody is withheld."""
    leaders: dict[tuple[str, str], list[str]] = defaultdict(list)
    members: dict[str, list[Candidate]] = defaultdict(list)
    grouped = {candidate.id: candidate for candidate in docket.candidates}
    for candidate in sorted(docket.candidates, key=_best_first):
        finding = candidate.finding
        if finding is None or candidate.withheld:
            continue
        near = dict.fromkeys(other for place in _places(finding) for other in leaders[place])
        twin = _find_twin(candidate, finding, [grouped[other] for other in near])
        if twin is None:
            for place in _places(finding):
                leaders[place].append(candidate.id)
            continue
        members[twin.id].append(candidate)
        grouped[twin.id] = _agree(twin, candidate)
    in_order = [(leader, sorted(joined, key=_by_place)) for leader, joined in members.items()]
    groups = tuple(
        Group(leader=leader, members=tuple(one.id for one in joined))
        for leader, joined in sorted(in_order, key=lambda group: _by_place(group[1][0]))
    )
    return docket.then(grouped.values()).model_copy(update={"groups": groups})


def _best_first(candidate: Candidate) -> tuple[int, int, bool, int, int, str, int]:
    rank = candidate.finding.severity.rank if candidate.finding else 9
    # A finding in the change itself can be shown where it is discussed.
    is_outside = candidate.finding is not None and candidate.finding.is_impact
    quote = QUOTE_ORDER.get(candidate.quote.outcome, 3) if candidate.quote else 3
    # Of two models that say the same, the one that says more; analysers are known by their rules.
    length = len(claim_words(candidate.finding)) if candidate.finding and candidate.kind == "model" else 0
    kind = KIND_ORDER[candidate.kind]
    return kind, rank, is_outside, quote, -length, candidate.specialist, candidate.index


def _places(finding: Finding) -> list[tuple[str, str]]:
    """Where others may report the same: in its own file, and in the file of the change that causes it."""
    cause = finding.verification.caused_by if finding.verification and finding.is_impact else None
    return list(dict.fromkeys([(finding.file, finding.side), *([(cause.file, "head")] if cause else [])]))


def _find_twin(candidate: Candidate, finding: Finding, kept: Sequence[Candidate]) -> Candidate | None:
    twins = [
        other for other in kept if not _is_one_analyser(candidate, other) and _is_twin(other.finding, finding)
    ]
    # Of two problems of one kind on a line, the one about the same names is meant.
    return max(twins, key=lambda other: _names(other.finding) == _names(finding), default=None)


def _is_one_analyser(one: Candidate, other: Candidate) -> bool:
    """An analyser does not repeat itself: two undefined names on one line are two problems."""
    return one.kind == "mechanical" and one.specialist == other.specialist


def _is_twin(other: Finding | None, finding: Finding) -> bool:
    if other is None:
        return False
    if other.file != finding.file:
        # One is about the cause, the other about what it breaks. Two places broken by one cause are two.
        is_distinct = bool(other.rule_id and finding.rule_id) or other.is_impact == finding.is_impact
        return not is_distinct and likeness(other, finding) >= SIMILAR_WORDS
    gap = max(other.lines[0] - finding.lines[1], finding.lines[0] - other.lines[1])
    if other.rule_id and finding.rule_id:
        return gap <= 0 and same_problem(other.rule_id, finding.rule_id)
    # Two lenses may file one problem under two categories: the words decide, not the category.
    return gap <= NEAR_LINES and likeness(other, finding) >= SIMILAR_WORDS


def _names(finding: Finding | None) -> set[str]:
    return set(re.findall(r"`([^`]+)`", finding.title)) if finding else set()


def _agree(kept: Candidate, duplicate: Candidate) -> Candidate:
    """Distinct specialists count as agreement; the same one twice does not."""
    names = {_lens(name) for name in (kept.specialist, *kept.agreed_by)}
    if _lens(duplicate.specialist) in names:
        return kept.then(STAGE, f"{duplicate.id} says the same")
    agreed = (*kept.agreed_by, duplicate.specialist)
    return kept.then(STAGE, f"{duplicate.specialist} found the same ({duplicate.id})", agreed_by=agreed)


def _lens(specialist: str) -> str:
    """Who it is, whichever part of the change it looked at: `logic` for `logic@2`."""
    return specialist.partition("@")[0]


def add_fingerprints(docket: Docket, case: Case) -> Docket:
    """Name each finding so that the name survives line shifts and renames; in the order of the places."""
    seen: Counter[str] = Counter()
    named: dict[str, Candidate] = {}
    members = docket.members
    in_order = sorted(docket.candidates, key=_by_place)
    # What is withheld must not shift the count of what stays, nor a member, which may yet be shown.
    for candidate in sorted(in_order, key=lambda one: one.withheld is not None or one.id in members):
        if candidate.finding is None:
            continue
        seed = _fingerprint_seed(candidate.finding, case)
        fingerprint = hashlib.sha256(f"{seed}\n{seen[seed]}".encode()).hexdigest()[:16]
        seen[seed] += 1
        named[candidate.id] = candidate.model_copy(update={"fingerprint": fingerprint})
    return docket.then(named.get(candidate.id, candidate) for candidate in in_order)


def _by_place(candidate: Candidate) -> tuple[str, int, str, int]:
    finding = candidate.finding
    return (
        finding.file if finding else "",
        finding.line if finding else 0,
        candidate.specialist,
        candidate.index,
    )


def _fingerprint_seed(finding: Finding, case: Case) -> str:
    """What stays the same when lines shift or the file is renamed: rule, first path, text of the line."""
    file = case.change.file_at(finding.file, finding.side)
    path = (file.base_path if file else None) or finding.file
    lines = case.repository.side(finding.side).lines(finding.file) or []
    text = fold(lines[finding.line - 1]) if finding.line <= len(lines) else ""
    return "\n".join(["1", finding.rule_id or finding.category, path, finding.side, text])
