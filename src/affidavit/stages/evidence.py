"""Check every candidate's proof against the commit: its quote, its searches, the cause of an impact."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from affidavit.errors import AffidavitError
from affidavit.ports import Repository
from affidavit.proof.quotes import Occurrence, extend_until_unique, find_quote
from affidavit.proof.redaction import MARKER, redact_lines, without_numbers
from affidavit.records.candidate import Candidate, Status
from affidavit.records.change import Change
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.evidence import QuoteCheck, QuoteOutcome, SearchRun
from affidavit.records.finding import Finding, Search, Verification
from affidavit.records.record import Side

STAGE = "evidence"
BESIDE_LINES = 3
"""A finding's line may stand this far outside the range that was examined."""
MOST_HITS = 20

OUTCOME_CODES: dict[QuoteOutcome, Reason] = {
    "relocated": Reason.EVIDENCE_RELOCATED,
    "ambiguous": Reason.EVIDENCE_AMBIGUOUS,
    "not_found": Reason.EVIDENCE_NOT_FOUND,
}


@dataclass
class Checked:
    """The candidates with their checked evidence, and what the machine has to say about it."""

    candidates: list[Candidate] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def check_evidence(
    candidates: Sequence[Candidate], change: Change, repository: Repository, *, has_verifier: bool
) -> Checked:
    """Prove quotes and searches; what cannot be proven is withheld with its reason."""
    checked = Checked()
    for candidate in candidates:
        if candidate.finding is None or candidate.withheld:
            checked.candidates.append(candidate)
            continue
        proven, codes = _check_candidate(candidate, candidate.finding, change, repository, has_verifier)
        checked.candidates.append(proven)
        checked.diagnostics += [
            Diagnostic(
                code=code,
                detail=detail,
                specialist=candidate.specialist,
                index=candidate.index,
                id=candidate.finding.id,
            )
            for code, detail in codes
        ]
    return checked


def confirm_evidence(candidates: Sequence[Candidate], repository: Repository) -> list[Candidate]:
    """Check once more, after verification, that the shown code is what the commit holds."""
    confirmed = []
    for candidate in candidates:
        quote = candidate.quote
        if candidate.withheld or quote is None or quote_still_stands(quote, repository):
            confirmed.append(candidate)
        else:
            confirmed.append(_without_evidence(candidate, "the quote no longer stands after verification"))
    return confirmed


def quote_still_stands(quote: QuoteCheck, repository: Repository) -> bool:
    """The recorded lines are still the file's own text."""
    if quote.start is None or quote.end is None:
        return False
    lines = repository.side(quote.side).lines(quote.file)
    if lines is None:
        return False
    span = slice(quote.start - 1, quote.end)
    return quote.code in ("\n".join(lines[span]), "\n".join(redact_lines(lines)[span]))


def _check_candidate(
    candidate: Candidate, finding: Finding, change: Change, repository: Repository, has_verifier: bool
) -> tuple[Candidate, list[tuple[Reason, str]]]:
    quote, anchored = check_quote(finding, repository)
    codes = [(OUTCOME_CODES[quote.outcome], quote.detail)] if quote.outcome in OUTCOME_CODES else []
    candidate = candidate.then(STAGE, f"quote {quote.outcome}: {quote.detail}", quote=quote, finding=anchored)
    if quote.outcome == "not_found":
        return _without_evidence(candidate, quote.detail), codes
    problem = _impact_problem(anchored, change, repository)
    if problem:
        return _without_evidence(candidate, problem), [*codes, (Reason.EVIDENCE_NOT_FOUND, problem)]
    candidate, absence = _check_absence(candidate, anchored, repository, has_verifier)
    return candidate, [*codes, *absence]


def _without_evidence(candidate: Candidate, detail: str) -> Candidate:
    return candidate.withhold(STAGE, Reason.EVIDENCE_NOT_FOUND, detail, status=Status.FALSE_POSITIVE)


def check_quote(finding: Finding, repository: Repository) -> tuple[QuoteCheck, Finding]:
    """Locate a finding's quote; the finding comes back anchored where the code really stands."""
    tree = repository.side(finding.side)
    lines = tree.lines(finding.file)
    blank = QuoteCheck(outcome="not_found", file=finding.file, side=finding.side)
    if lines is None:
        return blank.model_copy(
            update={"detail": f"{finding.file} has no readable text at {finding.side}"}
        ), finding
    entry = tree.entry(finding.file)
    blank = blank.model_copy(update={"blob": entry.blob if entry else None})
    if finding.verification is None:
        return _check_line_only(finding, lines, blank)
    occurrences = _find(finding.verification.code_examined, lines)
    if not occurrences:
        detail = f"the quoted code does not stand in {finding.file} at {finding.side}"
        return blank.model_copy(update={"detail": detail}), finding
    outcome, chosen = _choose(occurrences, finding, finding.verification, len(lines))
    anchored = finding if outcome == "exact" else _anchor(finding, finding.verification, chosen, len(lines))
    anchored = _without_secrets(anchored)
    shown = extend_until_unique(chosen, lines)
    detail = _describe(outcome, finding, chosen, len(occurrences))
    check = QuoteCheck(
        outcome=outcome,
        file=finding.file,
        side=finding.side,
        start=shown.start,
        end=shown.end,
        code="\n".join(redact_lines(lines)[shown.start - 1 : shown.end]),
        blob=blank.blob,
        detail=detail,
    )
    return check, anchored


def _find(quote: str, lines: list[str]) -> list[Occurrence]:
    """Where the quote stands; a model saw the file without its secrets, so it is compared like that, too."""
    found = find_quote(quote, lines)
    if found or not MARKER.search(quote):
        return found
    as_seen = without_numbers(quote)
    # A part of a file that is read by itself may be redacted otherwise than the whole.
    one_by_one = [redacted for line in lines for redacted in redact_lines([line])]
    return find_quote(as_seen, redact_lines(lines)) or find_quote(as_seen, one_by_one)


def _without_secrets(finding: Finding) -> Finding:
    """The finding as it may be written down: an analyser quotes the line as it stands."""
    proof = finding.verification
    code = "\n".join(redact_lines(proof.code_examined.split("\n"))) if proof else ""
    if proof is None or code == proof.code_examined or MARKER.search(proof.code_examined):
        return finding
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
        "code": "\n".join(redact_lines(lines)[start - 1 : end]),
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
        return f"the quote stands at {where}"
    if outcome == "relocated":
        return f"the finding named line {finding.line}; the quote stands at {where}"
    return f"the quote stands {count} times; the nearest to line {finding.line} is {where}"


def _impact_problem(finding: Finding, change: Change, repository: Repository) -> str | None:
    """Why an impact finding does not hang together with the change, or None."""
    cause = finding.verification.caused_by if finding.verification else None
    if not finding.is_impact or cause is None:
        return None
    if cause.file not in change.changed_files:
        return f"{cause.file}, named as the cause, is not part of the change"
    name = re.split(r"[.:]+", cause.symbol)[-1].strip("() ")
    if (
        not name
        or name == PurePosixPath(cause.file).stem
        or _is_named_in(cause.file, name, change, repository)
    ):
        return None
    return f"{cause.symbol}, named as the cause, does not stand in {cause.file}"


def _is_named_in(path: str, name: str, change: Change, repository: Repository) -> bool:
    """The name stands as a word in the changed file, at base or at head."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    sides: tuple[Side, ...] = ("base", "head")
    for file in change.files:
        if path in (file.base_path, file.head_path):
            for side in sides:
                lines = repository.side(side).lines(file.path_at(side) or path) or []
                if any(word.search(line) for line in lines):
                    return True
    return False


def _check_absence(
    candidate: Candidate, finding: Finding, repository: Repository, has_verifier: bool
) -> tuple[Candidate, list[tuple[Reason, str]]]:
    verification = finding.verification
    if verification is None or not verification.is_absence_finding:
        return candidate, []
    runs = tuple(run_search(search, repository) for search in verification.searches)
    candidate = candidate.then(STAGE, f"{len(runs)} searches run again", searches=runs)
    failed = [run.detail for run in runs if run.state == "failed"]
    if not runs or failed:
        detail = "; ".join(failed) or "it says that something is missing and declares no search"
        withheld = candidate.withhold(STAGE, Reason.ABSENCE_NOT_SEARCHED, detail)
        return withheld, [(Reason.ABSENCE_NOT_SEARCHED, detail)]
    hits = [f"{hit.path}:{hit.line}" for run in runs for hit in run.hits]
    # With a verifier, the hits are handed to it together with the claim.
    if not hits or has_verifier:
        return candidate, []
    detail = "what is said to be missing was found at " + ", ".join(hits[:3])
    withheld = candidate.withhold(STAGE, Reason.ABSENCE_DISPROVED, detail, status=Status.FALSE_POSITIVE)
    return withheld, [(Reason.ABSENCE_DISPROVED, detail)]


def run_search(search: Search, repository: Repository) -> SearchRun:
    """Run a declared search again; a search that cannot be run proves nothing."""
    try:
        hits = repository.side(search.side).search(search.pattern, search.paths, max_hits=MOST_HITS)
    except AffidavitError as error:
        return SearchRun(search=search, state="failed", detail=f"search for {search.pattern!r}: {error}")
    found = tuple(hit.model_copy(update={"text": redact_lines([hit.text])[0]}) for hit in hits)
    return SearchRun(search=search, state="hits" if hits else "nothing_found", hits=found)
