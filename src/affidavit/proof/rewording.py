"""Find texts that are too long, and check that a shorter one adds nothing and fits the verdict."""

import re
import unicodedata
from collections.abc import Sequence

from affidavit.records.candidate import Candidate, Wording
from affidavit.records.finding import Finding
from affidavit.records.report import Decision

_MERGED = "(?:merged?|approved?|shipped|landed|accepted)"
_APPROVING = (
    "lgtm",
    "ship it",
    "(?:looks|seems|is) (?:all )?(?:good|fine|ready|clear)(?! (?:at|for|in|on|with))",
    "all (?:is )?(?:good|clear|fine|well)",
    f"(?:ready|safe|fine|okay|ok|good) (?:to go|to (?:be )?{_MERGED}|for (?:merging|release))",
    f"(?:can|may|should|could) (?:now |just )?be (?:safely )?{_MERGED}",
    "(?:i|we|please|recommend|verdict:?|decision:?) (?:would |can |to )?(?:approve|approval|approving|merge)",
    "approved?[.!]",
    "(?:approve|merge|accept) (?:this|it)",
    "no (?:changes|action|fix|fixes) (?:(?:is|are) )?(?:needed|required|necessary)",
)
_DENYING = (
    "(?:no|without|zero) (?:\\w+ ){0,2}(?:issues?|problems?|findings?|bugs?|defects?|concerns?|blockers?)",
    "nothing (?:\\w+ ){0,3}(?:wrong|blocks?|blocking|fix|report|worry|against)",
    "none (?:of (?:them|these|which) )?(?:blocks?|matters?)",
    "false (?:positives?|alarms?)",
    "(?:can|may|should) (?:safely )?be ignored",
)
_REFUSING = (
    f"(?:do|should|must|can|may) ?not (?:be )?{_MERGED}",
    f"cannot be {_MERGED}",
    "request(?:s|ing|ed)? changes",
    "changes (?:are )?(?:requested|required)",
    "blocks? (?:the )?merge",
    "reject (?:this|the) change",
)
_ENGLISH = re.compile(
    r"(?<![\w-])(?:the|an?|is|are|was|were|of|to|and|or|that|this|it|its|with|for|by|on|not"
    r"|no|but|which|has|have|when|at|from|as|be|if|before|after"
    # Words that begin advice.
    r"|add|call|check|close|fix|guard|handle|keep|make|move|pass|remove|rename|replace|return|set|start|use)"
    r"(?![\w-])",
    re.IGNORECASE,
)
_NO_WIDTH = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]|<[^<>]{0,200}>|[*_`~]")
"""Invisible parts of words: characters without width, and markup."""
_NEGATION = re.compile(r"\b(?:not|never|cannot|before|until|unless|once|nor|if)\b|n't\b", re.IGNORECASE)
_NEGATION_REACH = 4
"""How many words before an approving one may negate it: "do not approve", "before this can be merged"."""


def _any_of(phrases: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(phrases)})", re.IGNORECASE)


_AGAINST: dict[Decision, re.Pattern[str]] = {
    "approve": _any_of(_REFUSING),
    "comment": _any_of(_APPROVING),
    "request_changes": _any_of((*_APPROVING, *_DENYING)),
}


def contradicts(decision: Decision, words: str) -> bool:
    """Check whether a reader of these words alone would expect another verdict.

    It looks for common English phrases, so that a model cannot contradict the verdict. A blocking
    verdict also refuses words that are not English, or only look Latin. The verdict never depends on this.
    """
    said = _as_read(words)
    if decision == "request_changes" and said and not _is_english(said):
        return True
    matches = _AGAINST[decision].finditer(said)
    return any(decision == "approve" or not _is_negated(said, match) for match in matches)


def _as_read(words: str) -> str:
    """Return the words as a reader sees them: without markup, in plain letters."""
    plain = _NO_WIDTH.sub("", unicodedata.normalize("NFKC", words))
    return " ".join(plain.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").split())


def _is_english(said: str) -> bool:
    letters = [each for each in said if each.isalpha()]
    is_latin = all(each.isascii() or unicodedata.name(each, "").startswith("LATIN") for each in letters)
    return is_latin and _ENGLISH.search(said) is not None


def _is_negated(said: str, match: re.Match[str]) -> bool:
    sentence = re.split(r"[.!?;:]\s", said[: match.start()])[-1]
    return _NEGATION.search(" ".join(sentence.split()[-_NEGATION_REACH:])) is not None


MAX_TITLE = 80
"""Characters."""
MAX_MESSAGE = 60
"""Words."""
_QUOTED = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"[\w$@.:/\\#-]*(?:[_./\\:$@#]\w|[a-z][A-Z]|[A-Z]{2})[\w$@.:/\\#-]*")


def is_too_long(candidate: Candidate) -> bool:
    """Check whether a shown finding of a model takes more than a glance to read."""
    if not candidate.is_shown or candidate.is_proven_by_machine:
        return False
    return len(candidate.claim.title) > MAX_TITLE or len(candidate.claim.message.split()) > MAX_MESSAGE


def why_not_used(short: Wording, finding: Finding) -> str:
    """Say why a shorter text may not replace a finding's own; empty if it may."""
    if not short.title or not short.message:
        return "it has no title or no message"
    if len(short.title) > MAX_TITLE or len(short.message.split()) > MAX_MESSAGE:
        return "it is too long, too"
    added = sorted(_facts(f"{short.title}\n{short.message}", _all_of(finding)))
    return f"it adds {', '.join(added[:5])[:200]}" if added else ""


def _facts(text: str, known: str) -> set[str]:
    """Return the names and numbers of a text that are not in the known one."""
    names = {*_QUOTED.findall(text), *_NAME.findall(text)}
    numbers = set(_NUMBER.findall(text)) - set(_NUMBER.findall(known))
    return numbers | {name for name in names if name.strip(".,:;#/-").lower() not in known}


def _all_of(finding: Finding) -> str:
    proof = finding.evidence
    failure = (proof.failing_input, proof.wrong_outcome, proof.code_examined)
    parts = (finding.title, finding.message, finding.suggestion, finding.file, *failure)
    return "\n".join(part for part in parts if part).lower()
