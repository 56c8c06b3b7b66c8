"""Check quotes, causes and searches of findings; quotes match with white space folded line by line."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from affidavit.errors import AffidavitError
from affidavit.ports import Repository
from affidavit.records.change import Change
from affidavit.records.evidence import (
    DependencyCheck,
    DependencyOutcome,
    QuoteCheck,
    QuoteOutcome,
    SearchRun,
    SearchState,
)
from affidavit.records.finding import DependencyQuote, Finding, Search, Verification
from affidavit.records.record import Side
from affidavit.redaction.spans import MARKER
from affidavit.redaction.text import redact_lines


def cause_problem(finding: Finding, change: Change, repository: Repository) -> str | None:
    """Why an impact finding does not hang together with the change, or None.

    Names are looked for in the files without secrets: no guess at one shows whether it is right.
    """
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
                lines = repository.side(side).redacted_lines(file.path_at(side) or path) or []
                if any(word.search(line) for line in lines):
                    return True
    return False


MAX_HITS = 20


def run_search(search: Search, repository: Repository, where: str = "") -> SearchRun:
    """The search with what it found; one that cannot be run proves nothing.

    `where` says in words where it looks, if that is not what the finding declared.
    """
    try:
        tree = repository.redacted.side(search.side)
        hits = tree.search(search.pattern, search.paths, max_hits=MAX_HITS)
    except AffidavitError as error:
        what = where or f"search for {search.pattern!r}"
        return SearchRun(search=search, state="failed", detail=f"{what}: {error}")
    state: SearchState = "hits" if hits else "nothing_found"
    return SearchRun(search=search, state=state, hits=tuple(hits), detail=where)


LINE_NUMBER = re.compile(r"^[+\-\s]*\d+\s?[:|]\s?")
MAX_EXTRA_LINES = 3


@dataclass(frozen=True)
class QuoteMatch:
    """Lines `start` to `end` of a file, counted from 1."""

    start: int
    end: int

    def distance(self, line: int) -> int:
        """How many lines away a line is; 0 inside."""
        return max(self.start - line, line - self.end, 0)

    def is_within(self, start: int, end: int) -> bool:
        """It stands wholly inside a range of lines."""
        return start <= self.start and self.end <= end


def fold(line: str) -> str:
    """A line with its white space folded."""
    return " ".join(line.split())


def find_quote(quote: str, lines: Sequence[str]) -> list[QuoteMatch]:
    """Every place where the quote stands; blank lines do not count on either side.

    Whole lines are looked for first, then a quote that begins or ends inside a line. A quote that was
    copied with its line numbers or diff marks is read without them.
    """
    numbered = [(number, folded) for number, line in enumerate(lines, 1) if (folded := fold(line))]
    for reading in _readings(quote):
        for matches in (_is_same, _is_part):
            found = _occurrences(reading, numbered, matches)
            if found:
                return found
    return []


def extend_until_unique(occurrence: QuoteMatch, lines: Sequence[str]) -> QuoteMatch:
    """Add neighbouring lines to a short quote until its text stands only once in the file."""
    start, end = occurrence.start, occurrence.end
    for _ in range(MAX_EXTRA_LINES):
        if len(find_quote("\n".join(lines[start - 1 : end]), lines)) <= 1:
            break
        start, end = max(1, start - 1), min(len(lines), end + 1)
    return QuoteMatch(start, end)


def _readings(quote: str) -> list[list[str]]:
    raw = [line for line in quote.split("\n") if line.strip()]
    readings = [raw]
    if raw and all(LINE_NUMBER.match(line) for line in raw):
        readings.append([LINE_NUMBER.sub("", line, count=1) for line in raw])
    if raw and all(line[0] in "+- " for line in raw) and any(line[0] in "+-" for line in raw):
        readings.append([line[1:] for line in raw])
    folded = [[text for line in reading if (text := fold(line))] for reading in readings]
    return [reading for reading in folded if reading]


def _occurrences(
    quote: list[str],
    numbered: list[tuple[int, str]],
    matches: Callable[[list[str], list[str]], bool],
) -> list[QuoteMatch]:
    size = len(quote)
    texts = [text for _, text in numbered]
    return [
        QuoteMatch(numbered[index][0], numbered[index + size - 1][0])
        for index in range(len(texts) - size + 1)
        if matches(quote, texts[index : index + size])
    ]


def _is_same(quote: list[str], texts: list[str]) -> bool:
    return quote == texts


def _is_part(quote: list[str], texts: list[str]) -> bool:
    if len(quote) == 1:
        return quote[0] in texts[0]
    return texts[0].endswith(quote[0]) and texts[-1].startswith(quote[-1]) and texts[1:-1] == quote[1:-1]


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


def _find(quote: str, lines: list[str]) -> list[QuoteMatch]:
    """Where the quote stands in the file without its secrets, as a model saw it."""
    found = find_quote(quote, lines)
    if found or not MARKER.search(quote):
        return found
    # Beside other text a line may lose more than in its file.
    return find_quote(quote, [redacted for line in lines for redacted in redact_lines([line])])


def _without_secrets(finding: Finding, place: QuoteMatch, lines: list[str]) -> Finding:
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
    occurrences: list[QuoteMatch], finding: Finding, verification: Verification, line_count: int
) -> tuple[QuoteOutcome, QuoteMatch]:
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


def _anchor(finding: Finding, verification: Verification, place: QuoteMatch, line_count: int) -> Finding:
    offset = finding.line - verification.line_range_examined[0]
    line = finding.line
    if place.distance(line) > 0:
        line = place.start + offset if 0 <= offset <= place.end - place.start else place.start
    end_line = None
    if finding.end_line is not None:
        end_line = min(line + finding.end_line - finding.line, line_count)
    examined = verification.model_copy(update={"line_range_examined": (place.start, place.end)})
    return finding.model_copy(update={"line": line, "end_line": end_line, "verification": examined})


def _describe(outcome: QuoteOutcome, finding: Finding, place: QuoteMatch, count: int) -> str:
    where = f"{finding.file}:{place.start}-{place.end} at {finding.side}"
    if outcome == "exact":
        return f"the quote is at {where}"
    if outcome == "relocated":
        return f"the finding named line {finding.line}; the quote is at {where}"
    return f"the quote appears {count} times; the nearest to line {finding.line} is {where}"


@dataclass(frozen=True)
class PackageFile:
    """A file of a package as it lies here, without secrets."""

    version: str
    sha256: str
    lines: Sequence[str]


def check_dependency(quote: DependencyQuote, file: PackageFile | str) -> DependencyCheck:
    """Where the quote stands in the file; a text is why there is no such file to look at."""
    blank = DependencyCheck(
        outcome="not_here",
        package=quote.package,
        version=quote.version,
        file=quote.file,
        sha256=quote.sha256,
    )
    if isinstance(file, str):
        return blank.model_copy(update={"detail": file})
    if quote.sha256.lower() != file.sha256:
        detail = f"{quote.file} of {quote.package} {file.version} here is another file: {file.sha256}"
        return blank.model_copy(update={"outcome": "other_file", "detail": detail})
    # The hash says which file it is; what its author calls the version counts for nothing beside it.
    blank = blank.model_copy(update={"version": file.version, "sha256": file.sha256})
    found = find_quote(quote.code_examined, file.lines)
    if not found:
        detail = f"the quoted code does not appear in {quote.file} of {quote.package} {file.version}"
        return blank.model_copy(update={"outcome": "not_found", "detail": detail})
    outcome, place = _choose_package_file(found, quote.line_range_examined)
    return blank.model_copy(
        update={
            "outcome": outcome,
            "start": place.start,
            "end": place.end,
            "code": "\n".join(file.lines[place.start - 1 : place.end]),
            "detail": _describe_package_quote(outcome, quote, place, len(found)),
        }
    )


def _choose_package_file(
    found: Sequence[QuoteMatch], examined: tuple[int, int] | None
) -> tuple[DependencyOutcome, QuoteMatch]:
    if examined is None:
        return ("exact" if len(found) == 1 else "ambiguous"), found[0]
    within = [one for one in found if one.is_within(*examined)]
    if within:
        return ("exact" if len(within) == 1 else "ambiguous"), within[0]
    nearest = min(found, key=lambda one: one.distance(examined[0]))
    return ("relocated" if len(found) == 1 else "ambiguous"), nearest


def _describe_package_quote(
    outcome: DependencyOutcome, quote: DependencyQuote, place: QuoteMatch, count: int
) -> str:
    where = f"lines {place.start} to {place.end}"
    if outcome == "relocated" and quote.line_range_examined:
        return f"quoted as lines {quote.line_range_examined[0]} to {quote.line_range_examined[1]}; at {where}"
    return f"it appears {count} times; the nearest is at {where}" if outcome == "ambiguous" else ""


def still_follows(quote: DependencyQuote, check: DependencyCheck) -> bool:
    """Whether a recorded check can be one of this quote: the lines that it shows hold the quoted code."""
    same = (quote.package, quote.file, quote.sha256.lower()) == (
        check.package,
        check.file,
        check.sha256.lower(),
    )
    shows = bool(find_quote(quote.code_examined, check.code.split("\n")))
    is_placed = check.start is not None and check.end is not None and 0 < check.start <= check.end
    return same and (shows and is_placed if check.stands else not check.code)
