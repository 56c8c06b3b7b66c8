"""Texts that are too long to be read: which they are, and whether a shorter one says no more than they do."""

import re

from affidavit.records.candidate import Candidate, Wording
from affidavit.records.finding import Finding

MAX_TITLE = 80
"""Characters."""
MAX_MESSAGE = 60
"""Words."""
_QUOTED = re.compile(r"`([^`]+)`")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"[\w$@.:/\\#-]*(?:[_./\\:$@#]\w|[a-z][A-Z]|[A-Z]{2})[\w$@.:/\\#-]*")


def is_too_long(candidate: Candidate) -> bool:
    """What a model wrote, is shown, and takes more than a glance; the machine's own words are short."""
    finding = candidate.finding
    if finding is None or not candidate.is_shown or candidate.is_proven_by_machine:
        return False
    return len(finding.title) > MAX_TITLE or len(finding.message.split()) > MAX_MESSAGE


def why_not_taken(short: Wording, finding: Finding) -> str:
    """Why a shorter text must not stand for a finding's own; empty: it may."""
    if not short.title or not short.message:
        return "it has no title or no message"
    if len(short.title) > MAX_TITLE or len(short.message.split()) > MAX_MESSAGE:
        return "it is too long, too"
    added = sorted(_facts(f"{short.title}\n{short.message}", _all_of(finding)))
    return f"it adds {', '.join(added[:5])[:200]}" if added else ""


def _facts(text: str, known: str) -> set[str]:
    """Names and numbers in a text that are not in what is known."""
    names = {*_QUOTED.findall(text), *_NAME.findall(text)}
    numbers = set(_NUMBER.findall(text)) - set(_NUMBER.findall(known))
    return numbers | {name for name in names if name.strip(".,:;#/-").lower() not in known}


def _all_of(finding: Finding) -> str:
    proof = finding.verification
    failure = (proof.failing_input, proof.wrong_outcome, proof.code_examined) if proof else ()
    parts = (finding.title, finding.message, finding.suggestion, finding.file, *failure)
    return "\n".join(part for part in parts if part).lower()
