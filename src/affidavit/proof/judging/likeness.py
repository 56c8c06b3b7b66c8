"""How alike two claims are, by the words that they use."""

import re

from affidavit.records.candidate import Candidate
from affidavit.records.finding import Finding

ClaimKey = tuple[object, ...]

SIMILAR_WORDS = 0.25
"""Chosen on the pairs of five real reviews: one problem reported twice shares 0.26 to 0.46 of its words, two
problems in one place at most 0.23."""
SAME_WORDS = 0.6
"""So much alike that what is said of one holds for the other."""
_WORD = re.compile(r"[^\W\d]\w{3,}")


def likeness(one: Finding, other: Finding) -> float:
    """The share of words that two claims have in common, of all that either uses."""
    return _share(claim_words(one), claim_words(other))


def words_in_common(one: str, other: str) -> float:
    """The same of two texts."""
    return _share(*(set(_WORD.findall(text.lower())) for text in (one, other)))


def _share(one: set[str], other: set[str]) -> float:
    union = one | other
    return len(one & other) / len(union) if union else 0.0


def claim_key(candidate: Candidate) -> ClaimKey | None:
    """The same for the same claim in the same words at the same place, with the same to show for it.

    None for what the machine proved, and for what the review before decided: that has its own ways.
    """
    finding, quote = candidate.finding, candidate.quote
    if finding is None or candidate.kind == "mechanical" or candidate.carried is not None:
        return None
    proof = finding.verification
    shown = proof.model_dump_json(include={"reproduction", "searches", "dependency_quotes"}) if proof else ""
    said = [finding.title, finding.message]
    said += [proof.failing_input or "", proof.wrong_outcome or ""] if proof else []
    place = (finding.file, finding.side, finding.line, quote.start if quote else None)
    words = tuple(" ".join(text.casefold().split()) for text in said)
    return (*place, finding.severity.is_grave, words, shown)


def claim_words(finding: Finding) -> set[str]:
    """The words of title, message and failure."""
    proof = finding.verification
    failure = (proof.failing_input or "", proof.wrong_outcome or "") if proof else ()
    return set(_WORD.findall(" ".join([finding.title, finding.message, *failure]).lower()))
