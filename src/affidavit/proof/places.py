"""Let one finding represent others: of the same rule in a file, or with the same cause."""

import re
from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence

from affidavit.records.candidate import Candidate, Withheld
from affidavit.records.diagnostics import Reason
from affidavit.records.iteration import EarlierFinding

MANY = 5
"""Up to this many findings of one rule in one file are shown separately; more become one with places."""


def leaders_of(candidates: Sequence[Candidate]) -> dict[str, str]:
    """Map each proven finding that another one represents to that one."""
    return _leaders([one for one in candidates if one.is_shown and one.is_proven_by_machine], ())


def _leaders(standing: Sequence[Candidate], were_one: Container[Hashable]) -> dict[str, str]:
    """Let the worst and first finding represent those with its cause, and of its rule in its file.

    A rule has few findings in a file, which are read one by one, or many. Those that were one in the earlier
    review (`were_one`) stay one, so that fixing some makes no list longer.
    """
    by_spot = _by(standing, _spot_of).items()
    many = [together for spot, together in by_spot if len(together) > MANY or spot in were_one]
    known = {one.id: one for one in standing}
    leaders = {}
    for names in _connected([*_by(standing, _cause_of).values(), *many]):
        first, *others = sorted((known[name] for name in names), key=_worst_first)
        leaders.update({other.id: first.id for other in others})
    return leaders


def spots_of(earlier: Iterable[EarlierFinding]) -> frozenset[Hashable]:
    """Return where findings of the earlier review represented others of their rule in their file."""
    return frozenset(
        spot
        for one in earlier
        if (spot := _spot_of(one.candidate)) and any(_spot_of(place) == spot for place in one.places)
    )


def gather_places(
    candidates: Sequence[Candidate],
    stage: str,
    is_hidden: Callable[[Candidate], bool] = lambda _: False,
    were_one: Container[Hashable] = (),
) -> list[Candidate]:
    """Let one finding represent others, which are withheld as its duplicates.

    A finding hidden by the user's choice represents no shown one, nor the other way round.
    """
    hidden = {one.id for one in candidates if is_hidden(one)}
    standing = [one for one in candidates if one.is_shown and one.is_open_by_machine]
    seen = [one for one in standing if one.id not in hidden]
    unseen = [one for one in standing if one.id in hidden]
    leaders = _leaders(seen, were_one) | _leaders(unseen, were_one)
    return [_under(one, leaders, stage) for one in candidates]


def _under(candidate: Candidate, leaders: Mapping[str, str], stage: str) -> Candidate:
    if candidate.id in leaders:
        return candidate.withhold(stage, Reason.DUPLICATE_OF, leaders[candidate.id])
    leader = candidate.duplicate_of
    if leader in leaders:
        # Its leader became a duplicate itself, so it goes under the shown finding.
        stands = Withheld(code=Reason.DUPLICATE_OF, detail=leaders[leader])
        return candidate.then(stage, f"{leader} is a duplicate of {stands.detail}", withheld=stands)
    return candidate


def _connected(groups: Iterable[Iterable[Candidate]]) -> list[set[str]]:
    """Join the groups that share a candidate; return the names in each."""
    joined: list[set[str]] = []
    for group in groups:
        together = {one.id for one in group}
        apart = []
        for other in joined:
            if together.isdisjoint(other):
                apart.append(other)
            else:
                together |= other
        joined = [*apart, together]
    return joined


def _by(
    candidates: Iterable[Candidate], key_of: Callable[[Candidate], Hashable]
) -> dict[Hashable, list[Candidate]]:
    groups = defaultdict(list)
    for one in candidates:
        if (key := key_of(one)) is not None:
            groups[key].append(one)
    return groups


def _spot_of(candidate: Candidate) -> Hashable:
    """Return rule, file and side; None for a model's finding."""
    finding = candidate.finding
    if finding is None or candidate.kind != "mechanical":
        return None
    return finding.rule_id or candidate.id, finding.file, finding.side


def _cause_of(candidate: Candidate) -> Hashable:
    """Return the changed definition that a finding blames by name; None if there is none.

    A cause guessed from a word of the line joins nothing.
    """
    proof = candidate.evidence
    cause = proof.caused_by
    if cause is None:
        return None
    symbol = cause.symbol.removesuffix(".__init__")
    name = re.split(r"[.:]+", symbol)[-1]
    is_named = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", proof.verification_method) is not None
    return (cause.file, symbol) if is_named or not name else None


def _worst_first(candidate: Candidate) -> tuple[bool, int, bool, bool, str, int, int]:
    """Return a key to sort by: blocking findings first, then the worst, then those reported now."""
    finding = candidate.claim
    # In the change itself a finding can be shown where it is discussed.
    return (
        bool(candidate.why_not_counted),
        finding.severity.rank,
        not candidate.is_proven_by_machine,
        finding.is_impact,
        finding.file,
        finding.line,
        candidate.index,
    )
