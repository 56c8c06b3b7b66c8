"""Group findings that repeat each other or have one cause, count who agrees, fingerprint each."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from affidavit.analysers.rulebook import same_problem
from affidavit.minds.choice import family_of
from affidavit.ports import Case, Joiner
from affidavit.proof.fingerprints import add_fingerprints, by_place
from affidavit.proof.judgement import SharedCause, groups_by_cause, read_grouping
from affidavit.proof.lending import lend_proof
from affidavit.proof.places import leaders_of
from affidavit.proof.sameness import ClaimKey, claim_key, claim_words, is_alike, lines_apart
from affidavit.records.candidate import Candidate, Place, PlaceKind
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.docket import Docket, Group, Outcome
from affidavit.records.finding import NEAR_LINES, Finding
from affidavit.records.report import Answer, Reply
from affidavit.symbols.enclosing import Enclosing, enclosing

AROUND_LINES = 3
MAX_LINE = 300
MOST_OF_IT = 0.8
"""A finding that covers this share of a definition is about the definition."""


def name_places(docket: Docket, case: Case) -> Docket:
    """Add its place to every open finding."""

    def place(candidate: Candidate, finding: Finding) -> Outcome:
        return candidate.model_copy(update={"place": place_of(finding, case)}), ()

    return docket.each(place)


def place_of(finding: Finding, case: Case) -> Place:
    """Return the place of a finding on its side."""
    first, last = finding.lines
    tree = case.repository.side(finding.side)
    lines = tree.redacted_lines(finding.file) or []
    around = enclosing(tree, finding.file, first, last) if lines else None
    return Place(
        kind=_kind(first, last, around),
        start=first,
        end=last,
        name=around.name if around else "",
        name_start=around.start if around else None,
        name_end=around.end if around else None,
        before=_text(lines[max(0, first - 1 - AROUND_LINES) : first - 1]),
        after=_text(lines[last : last + AROUND_LINES]),
    )


def _kind(first: int, last: int, around: Enclosing | None) -> PlaceKind:
    """Name the kind of a place: a definition's header or most of it, or lines."""
    if around is not None and around.kind not in ("function", "line"):
        return around.kind
    if around is not None and around.kind == "function":
        share = (last - first + 1) / (around.end - around.start + 1)
        if first == around.start or share >= MOST_OF_IT:
            return "function"
    return "line" if first == last else "range"


def _text(lines: list[str]) -> str:
    return "\n".join(line[:MAX_LINE] for line in lines)


STAGE = "merge"
KIND_ORDER = {"mechanical": 0, "model": 2, "outside": 3}
CARRIED_CONFIRMED, CARRIED_UNPROVEN = 1, 4
QUOTE_ORDER = {"exact": 0, "relocated": 1, "ambiguous": 2}
MAX_JOINED = 150
"""Findings that one conversation can group; the mildest of more are not grouped."""


async def merge(docket: Docket, case: Case, joiner: Joiner | None = None) -> tuple[Docket, Answer | None]:
    """Group duplicates, and fingerprint each finding; none is withheld yet.

    A model, if there is one, groups by cause; otherwise likeness of words decides. Return its answer, too.
    """
    voice = _voices(case.replies)
    if joiner is None:
        return _finished(group_duplicates(docket, voice=voice), case), None
    by_rules = group_duplicates(docket, lambda one: one.is_proven_by_machine, voice)
    by_rules = _group_repeated(by_rules, voice)
    asked = _to_join(by_rules.leading)
    if not asked:
        return _finished(group_duplicates(docket, voice=voice), case), None
    answer = await joiner.join(asked)
    is_answered = answer.outcome == "answered"
    causes = read_grouping(answer.text, [one.id for one in asked]) if is_answered else answer.failure
    if isinstance(causes, str):
        note = Diagnostic(code=Reason.JOINER_FAILED, detail=causes, specialist="joiner")
        merged = group_duplicates(docket, voice=voice)
        merged = merged.then(merged.candidates, [note])
    else:
        merged = _joined(by_rules, causes, voice)
    return _finished(merged.plus(Docket(usage=(answer.usage,))), case), answer


def _finished(docket: Docket, case: Case) -> Docket:
    return add_fingerprints(lend_proof(docket) if docket.joins_claims else docket, case)


def _lens(specialist: str) -> str:
    """Return the specialist without the number of its chunk: `logic` for `logic@2`."""
    return specialist.partition("@")[0]


Voice = Callable[[str], str]
"""Returns whose voice a specialist is; agreement of one voice with itself does not count."""


def _voices(replies: Sequence[Reply]) -> Voice:
    """Return the voices of a review: specialists of one family of models are one."""
    families = {one.specialist: family_of(each.model) for one in replies for each in one.usage}
    return lambda specialist: families.get(specialist) or _lens(specialist)


def _group_repeated(docket: Docket, voice: Voice) -> Docket:
    """Group findings with the same words in the same place, which needs no model."""
    known = {candidate.id: candidate for candidate in docket.candidates}
    leaders: dict[ClaimKey, str] = {}
    members: dict[str, list[str]] = defaultdict(list)
    for candidate in sorted(docket.leading, key=_best_first):
        key = claim_key(candidate)
        if key is None:
            continue
        leader = leaders.setdefault(key, candidate.id)
        if leader != candidate.id:
            members[leader].append(candidate.id)
            known[leader] = _agree(known[leader], candidate, voice)
    groups = [Group(leader=leader, members=tuple(names)) for leader, names in members.items()]
    return docket.then(known.values()).model_copy(update={"groups": (*docket.groups, *groups)})


def _to_join(leading: Sequence[Candidate]) -> list[Candidate]:
    """Return the findings to ask the joiner about: of proven findings that are one, only that one.

    Return none if nothing can be joined: only findings of models are absorbed.
    """
    repeated = leaders_of(leading)
    standing = [one for one in leading if one.id not in repeated]
    is_claimed = any(not one.is_proven_by_machine for one in standing)
    if len(standing) < 2 or not is_claimed:
        return []
    worst = sorted(standing, key=lambda one: (one.is_proven_by_machine, _worst_first(one)))
    return sorted(worst[:MAX_JOINED], key=lambda one: one.id)


def _joined(docket: Docket, causes: Sequence[SharedCause], voice: Voice) -> Docket:
    """Add the joiner's groups to those of the rules; members of a group agree.

    Duplicates of a claim join the group of its cause.
    """
    in_order = sorted(docket.leading, key=_strongest_first)
    groups = groups_by_cause(causes, in_order)
    known = {candidate.id: candidate for candidate in docket.candidates}
    same = {one.leader: one.members for one in docket.groups if not known[one.leader].is_proven_by_machine}
    for at, group in enumerate(groups):
        repeated = [other for name in (group.leader, *group.members) for other in same.pop(name, ())]
        groups[at] = group.model_copy(update={"members": (*group.members, *repeated)})
        together = [known[name] for name in (group.leader, *groups[at].members)]
        known.update({one.id: _in_group(one, together, group.cause, voice) for one in together})
    kept = [one for one in docket.groups if known[one.leader].is_proven_by_machine or one.leader in same]
    return docket.then(known.values()).model_copy(update={"groups": (*kept, *groups)})


def _in_group(candidate: Candidate, together: Sequence[Candidate], cause: str, voice: Voice) -> Candidate:
    agreed = list(candidate.agreed_by)
    for other in together:
        if voice(other.specialist) not in map(voice, (candidate.specialist, *agreed)):
            agreed.append(other.specialist)
    others = ", ".join(one.id for one in together if one.id != candidate.id)
    return candidate.then(STAGE, f"one cause with {others}: {cause}", agreed_by=tuple(agreed))


def _strongest_first(candidate: Candidate) -> tuple[int, int, int, int, str]:
    """Order by what running and searching showed, then by severity, quote and length."""
    return candidate.proof_rank, *_worst_first(candidate)


def _worst_first(candidate: Candidate) -> tuple[int, int, int, str]:
    return candidate.rank, _quote_order(candidate), -len(claim_words(candidate.claim)), candidate.id


def _quote_order(candidate: Candidate) -> int:
    return QUOTE_ORDER.get(candidate.quote.outcome, 3) if candidate.quote else 3


def group_duplicates(
    docket: Docket, takes_part: Callable[[Candidate], bool] = lambda _: True, voice: Voice = _lens
) -> Docket:
    """Group duplicates: the best proven leads and notes who agrees; none is withheld."""
    leaders: dict[tuple[str, str], list[str]] = defaultdict(list)
    members: dict[str, list[Candidate]] = defaultdict(list)
    grouped = {candidate.id: candidate for candidate in docket.candidates}
    for candidate in sorted(docket.candidates, key=_best_first):
        finding = candidate.finding
        if finding is None or candidate.withheld or not takes_part(candidate):
            continue
        near = dict.fromkeys(other for place in _places(finding) for other in leaders[place])
        twin = _find_twin(candidate, finding, [grouped[other] for other in near])
        if twin is None:
            for place in _places(finding):
                leaders[place].append(candidate.id)
            continue
        members[twin.id].append(candidate)
        grouped[twin.id] = _agree(twin, candidate, voice)
    in_order = [(leader, sorted(joined, key=by_place)) for leader, joined in members.items()]
    groups = tuple(
        Group(leader=leader, members=tuple(one.id for one in joined))
        for leader, joined in sorted(in_order, key=lambda group: by_place(group[1][0]))
    )
    return docket.then(grouped.values()).model_copy(update={"groups": groups})


def _best_first(candidate: Candidate) -> tuple[int, int, int, bool, int, int, str, int]:
    return (
        _proof_order(candidate),
        candidate.proof_rank,
        candidate.rank,
        # A finding in the change itself can be shown where it is discussed.
        candidate.evidence.is_impact_finding,
        _quote_order(candidate),
        # Of two models, the longer finding; analysers are known by their rules.
        -len(claim_words(candidate.claim)) if candidate.kind == "model" and candidate.finding else 0,
        candidate.specialist,
        candidate.index,
    )


def _proof_order(candidate: Candidate) -> int:
    """Order: proven now, confirmed before and still open, claimed, only carried over."""
    standing = candidate.carried.judgement if candidate.carried else None
    if candidate.is_proven_by_machine or standing is None:
        return KIND_ORDER[candidate.kind]
    if standing.answer == "CONFIRMED":
        return CARRIED_CONFIRMED
    return CARRIED_UNPROVEN if candidate.kind == "mechanical" else KIND_ORDER[candidate.kind]


def _places(finding: Finding) -> list[tuple[str, str]]:
    """Return where others may report the same: its file, and the changed file that causes it."""
    cause = finding.evidence.caused_by if finding.is_impact else None
    return list(dict.fromkeys([(finding.file, finding.side), *([(cause.file, "head")] if cause else [])]))


def _find_twin(candidate: Candidate, finding: Finding, kept: Sequence[Candidate]) -> Candidate | None:
    twins = [
        other for other in kept if not _is_one_analyser(candidate, other) and _is_twin(other.finding, finding)
    ]
    # Of two problems of one kind on a line, the one about the same names matches.
    return max(twins, key=lambda other: _names(other.finding) == _names(finding), default=None)


def _is_one_analyser(one: Candidate, other: Candidate) -> bool:
    """Check whether one analyser reports both: it does not repeat itself."""
    return one.kind == "mechanical" and one.specialist == other.specialist


def _is_twin(other: Finding | None, finding: Finding) -> bool:
    if other is None:
        return False
    if other.file != finding.file:
        # One is about the cause, the other about what it breaks. Two places broken by one cause are two.
        is_distinct = bool(other.rule_id and finding.rule_id) or other.is_impact == finding.is_impact
        return not is_distinct and not _differ_in_fix(other, finding) and is_alike(other, finding)
    gap = lines_apart(other.lines, finding.lines)
    if other.rule_id and finding.rule_id:
        return gap <= 0 and same_problem(other.rule_id, finding.rule_id)
    # Two lenses may file one problem under two categories: the words decide, not the category.
    # Similar words in two places, with two fixes, are two problems of one kind.
    return gap <= NEAR_LINES and (gap <= 0 or not _differ_in_fix(other, finding)) and is_alike(other, finding)


def _differ_in_fix(one: Finding, other: Finding) -> bool:
    proposed = {" ".join(each.suggestion.split()) for each in (one, other) if each.suggestion}
    return len(proposed) > 1


def _names(finding: Finding | None) -> set[str]:
    return set(re.findall(r"`([^`]+)`", finding.title)) if finding else set()


def _agree(kept: Candidate, duplicate: Candidate, voice: Voice) -> Candidate:
    """Note the agreement of another voice; the same one twice does not count."""
    if duplicate.kind == "mechanical" and not duplicate.is_proven_by_machine:
        # Its analyser did not run this time.
        return kept.then(STAGE, f"{duplicate.id}, from the earlier review, reports the same")
    if voice(duplicate.specialist) in map(voice, (kept.specialist, *kept.agreed_by)):
        return kept.then(STAGE, f"{duplicate.id} reports the same")
    agreed = (*kept.agreed_by, duplicate.specialist)
    return kept.then(STAGE, f"{duplicate.specialist} found the same ({duplicate.id})", agreed_by=agreed)
