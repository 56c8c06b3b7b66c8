"""Decide whether two findings are the same problem, and pair those that are."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from affidavit.records.candidate import Candidate
from affidavit.records.finding import Finding

ClaimKey = tuple[object, ...]
Distance = tuple[float, ...]
Left = TypeVar("Left")
Right = TypeVar("Right")

SIMILAR_WORDS = 0.25
"""Chosen on the pairs of five real reviews: one problem reported twice shares 0.26 to 0.46 of its words, two
problems in one place at most 0.23."""
SAME_WORDS = 0.6
"""Claims that share this many words are interchangeable."""
_WORD = re.compile(r"[^\W\d]\w{3,}")


def names_of(candidate: Candidate) -> frozenset[str]:
    """Return every name of a finding: its own, and those of the findings with the same cause."""
    return frozenset({candidate.fingerprint, *candidate.carries} - {""})


def pair(
    left: Sequence[Left], right: Sequence[Right], rules: Iterable[Callable[[Left, Right], Distance | None]]
) -> dict[int, Right]:
    """Return the partner of each position of `left`; nobody is a partner twice.

    A rule returns how far two are apart, or None if they are not the same. The first rule is the surest: its
    pairs are made first, and of these the nearest.
    """
    free = dict(enumerate(right))
    found: dict[int, Right] = {}
    for rule in rules:
        pairs = [
            (distance, at, number)
            for at, one in enumerate(left)
            if at not in found
            for number, other in free.items()
            if (distance := rule(one, other)) is not None
        ]
        for _, at, number in sorted(pairs):
            if at not in found and number in free:
                found[at] = free.pop(number)
    return found


def lines_apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Return how many lines two ranges are apart; 0 or less if they overlap."""
    return max(one[0] - other[1], other[0] - one[1])


def is_alike(one: Finding, other: Finding) -> bool:
    """Check whether two claims share so many words that they are one problem."""
    return likeness(one, other) >= SIMILAR_WORDS


def likeness(one: Finding, other: Finding) -> float:
    """Return the share of words that two claims have in common, of all that either uses."""
    return _share(claim_words(one), claim_words(other))


def words_in_common(one: str, other: str) -> float:
    """Return the share of words that two texts have in common."""
    return _share(*(set(_WORD.findall(text.lower())) for text in (one, other)))


def _share(one: set[str], other: set[str]) -> float:
    union = one | other
    return len(one & other) / len(union) if union else 0.0


def claim_key(candidate: Candidate) -> ClaimKey | None:
    """Return a key that is equal for claims with the same words, place and evidence.

    Return None for findings of analysers and of the earlier review: these are matched by other rules.
    """
    finding, quote = candidate.finding, candidate.quote
    if finding is None or candidate.kind == "mechanical" or candidate.carried is not None:
        return None
    proof = finding.evidence
    shown = proof.model_dump_json(include={"reproduction", "searches", "dependency_quotes"})
    said = _texts_of(finding)
    place = (finding.file, finding.side, finding.line, quote.start if quote else None)
    words = tuple(" ".join(text.casefold().split()) for text in said)
    return (*place, finding.severity.is_grave, words, shown)


def claim_words(finding: Finding) -> set[str]:
    """Return the words of title, message and failure."""
    return set(_WORD.findall(" ".join(_texts_of(finding)).lower()))


def _texts_of(finding: Finding) -> list[str]:
    proof = finding.evidence
    return [finding.title, finding.message, proof.failing_input or "", proof.wrong_outcome or ""]
