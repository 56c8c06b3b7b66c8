"""Check that the code a finding quotes is where the finding says; without secrets, as it may be written."""

from affidavit.ports import Repository
from affidavit.proof.quoting.quotes import Occurrence, extend_until_unique, find_quote
from affidavit.records.evidence import QuoteCheck, QuoteOutcome
from affidavit.records.finding import Finding, Verification
from affidavit.redaction.spans import MARKER
from affidavit.redaction.text import redact_lines

BESIDE_LINES = 3
"""A finding's line may stand this far outside the range that was examined."""


def check_quote(
    finding: Finding, repository: Repository, *, saw_secrets: bool = False
) -> tuple[QuoteCheck, Finding]:
    """Locate a finding's quote; the finding comes back anchored where the code really stands.

    Who did not see secrets is held to the file without them: a guess that happens to be right is no quote,
    and whether it is right must not show.
    """
    tree = repository.side(finding.side)
    lines = tree.redacted_lines(finding.file)
    blank = QuoteCheck(outcome="not_found", file=finding.file, side=finding.side)
    if lines is None:
        return blank.model_copy(
            update={"detail": f"{finding.file} has no readable text at {finding.side}"}
        ), finding
    entry = tree.entry(finding.file)
    blank = blank.model_copy(update={"blob": entry.blob if entry else None})
    if finding.verification is None:
        return _check_line_only(finding, lines, blank)
    quoted = finding.verification.code_examined
    occurrences = _find(quoted, lines)
    if not occurrences and saw_secrets:
        occurrences = find_quote(quoted, tree.lines(finding.file) or [])
    if not occurrences:
        detail = f"the quoted code does not appear in {finding.file} at {finding.side}"
        return blank.model_copy(update={"detail": detail}), finding
    outcome, chosen = _choose(occurrences, finding, finding.verification, len(lines))
    anchored = finding if outcome == "exact" else _anchor(finding, finding.verification, chosen, len(lines))
    anchored = _without_secrets(anchored, chosen, lines)
    shown = extend_until_unique(chosen, lines)
    detail = _describe(outcome, finding, chosen, len(occurrences))
    check = QuoteCheck(
        outcome=outcome,
        file=finding.file,
        side=finding.side,
        start=shown.start,
        end=shown.end,
        code="\n".join(lines[shown.start - 1 : shown.end]),
        blob=blank.blob,
        detail=detail,
    )
    return check, anchored


def _find(quote: str, lines: list[str]) -> list[Occurrence]:
    """Where the quote stands in the file without its secrets, as a model saw it."""
    found = find_quote(quote, lines)
    if found or not MARKER.search(quote):
        return found
    # Beside other text a line may lose more than in its file.
    return find_quote(quote, [redacted for line in lines for redacted in redact_lines([line])])


def _without_secrets(finding: Finding, place: Occurrence, lines: list[str]) -> Finding:
    """The finding as it may be written down: what saw secrets may have quoted one."""
    proof = finding.verification
    if proof is None or _find(proof.code_examined, lines):
        return finding
    code = "\n".join(lines[place.start - 1 : place.end])
    return finding.model_copy(update={"verification": proof.model_copy(update={"code_examined": code})})


def _check_line_only(finding: Finding, lines: list[str], blank: QuoteCheck) -> tuple[QuoteCheck, Finding]:
    """A finding of schema 1.0 has no quote: its lines must at least exist."""
    start, end = finding.lines
    if end > len(lines):
        detail = f"{finding.file} has {len(lines)} lines, the finding names line {end}"
        return blank.model_copy(update={"detail": detail}), finding
    update = {
        "outcome": "not_quoted",
        "start": start,
        "end": end,
        "code": "\n".join(lines[start - 1 : end]),
        "detail": "a finding of schema 1.0 carries no quote",
    }
    return blank.model_copy(update=update), finding


def _choose(
    occurrences: list[Occurrence], finding: Finding, verification: Verification, line_count: int
) -> tuple[QuoteOutcome, Occurrence]:
    first, last = verification.line_range_examined
    nearest = min(occurrences, key=lambda occurrence: occurrence.distance(finding.line))
    within = [occurrence for occurrence in occurrences if occurrence.is_within(first, last)]
    is_beside = first - BESIDE_LINES <= finding.line <= last + BESIDE_LINES and finding.line <= line_count
    if within and is_beside:
        chosen = min(within, key=lambda occurrence: occurrence.distance(finding.line))
        is_certain = len(within) == 1 or chosen.distance(finding.line) == 0
        return ("exact" if is_certain else "ambiguous"), chosen
    if len(within) == 1:
        return "relocated", within[0]
    return ("relocated" if len(occurrences) == 1 else "ambiguous"), nearest


def _anchor(finding: Finding, verification: Verification, place: Occurrence, line_count: int) -> Finding:
    offset = finding.line - verification.line_range_examined[0]
    line = finding.line
    if place.distance(line) > 0:
        line = place.start + offset if 0 <= offset <= place.end - place.start else place.start
    end_line = None
    if finding.end_line is not None:
        end_line = min(line + finding.end_line - finding.line, line_count)
    examined = verification.model_copy(update={"line_range_examined": (place.start, place.end)})
    return finding.model_copy(update={"line": line, "end_line": end_line, "verification": examined})


def _describe(outcome: QuoteOutcome, finding: Finding, place: Occurrence, count: int) -> str:
    where = f"{finding.file}:{place.start}-{place.end} at {finding.side}"
    if outcome == "exact":
        return f"the quote is at {where}"
    if outcome == "relocated":
        return f"the finding named line {finding.line}; the quote is at {where}"
    return f"the quote appears {count} times; the nearest to line {finding.line} is {where}"


def quote_still_stands(quote: QuoteCheck, repository: Repository) -> bool:
    """The recorded lines are still the file's own text."""
    if quote.start is None or quote.end is None:
        return False
    tree, span = repository.side(quote.side), slice(quote.start - 1, quote.end)
    texts = (tree.redacted_lines(quote.file), tree.lines(quote.file))
    return any(quote.code == "\n".join(lines[span]) for lines in texts if lines is not None)
