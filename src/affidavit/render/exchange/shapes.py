"""Share what exchange formats need: inert text, exact paths, names of rules."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from affidavit.records.candidate import Candidate
from affidavit.records.finding import Finding
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.programs import program_text
from affidavit.render.proof import said_under
from affidavit.render.safe_text import clip, visible

MAX_TEXT_LENGTH = 4_000
MAX_PROGRAM_LINES, MAX_PROGRAM_LINE = 8, 120
NOT_LOOKED_AT = "affidavit/not-looked-at"
"""The name of the entry that lists skipped files in formats that have only entries."""


def as_json(data: dict[str, Any] | list[dict[str, Any]]) -> str:
    return json.dumps(data, indent=1, allow_nan=False) + "\n"


def inert(text: str, limit: int = MAX_TEXT_LENGTH) -> str:
    """Return prose with invisible characters shown, cut at the limit."""
    return clip(visible(text.strip(), keep="\n\t"), limit)


def whole_characters(text: str) -> str:
    """Replace lone surrogates."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def as_uri(path: str) -> str:
    """Return a path as a relative URI that keeps the bytes of its name."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raw = path.encode("utf-8", "surrogatepass")
    # A slash in front, or a colon in the first part, would make it absolute.
    return quote(raw, safe="/~!$&'()*+,;=@")


def rule_of(finding: Finding) -> str:
    return inert(finding.rule_id or "", 255) or f"affidavit/{finding.category}"


def fingerprint_of(candidate: Candidate) -> str:
    """Return the fingerprint, or a hash of place and title if there is none."""
    if candidate.fingerprint.strip():
        return visible(candidate.fingerprint.strip())
    said = f"{candidate.specialist}\n{wording.place_of(candidate)}\n{wording.title_of(candidate)}"
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def account_of(finding: Finding, candidate: Candidate, report: Report) -> str:
    said = [_sentence(" ".join(finding.title.split())), *claim_lines(finding)]
    if finding.side == "base":
        said.append(f"Used to be at: {wording.location(finding)}")
    if finding.suggestion:
        said.append(f"To do: {finding.suggestion}")
    said += under_lines(candidate, report)
    said += [_sentence(one.summary.capitalize()) for one in candidate.dependency_quotes]
    program = program_text(candidate, report.id, MAX_PROGRAM_LINES).splitlines()
    said += ["Program: " + "\n".join(clip(line, MAX_PROGRAM_LINE) for line in program)] if program else []
    return inert("\n".join(said))


def claim_lines(finding: Finding) -> list[str]:
    """Return the message, the claim and the cause, for formats without fields for them."""
    said = [finding.message, *_labelled(wording.claim(finding))]
    cause = finding.verification.caused_by if finding.verification else None
    if cause is not None:
        said.append(f"Caused by: {cause.file}" + (f" ({cause.symbol})" if cause.symbol else ""))
    return said


def under_lines(candidate: Candidate, report: Report) -> list[str]:
    """Return the other places and claims joined to the finding, one line each."""
    return _labelled(said_under(candidate, report))


def _labelled(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{label.capitalize()}: {text}" for label, text in pairs]


def _sentence(title: str) -> str:
    return title if title.endswith((".", "!", "?")) else f"{title}."
