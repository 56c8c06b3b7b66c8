"""Check that quoted code is in the file at the named lines; white space is folded line by line."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from affidavit.ports import Repository
from affidavit.records.evidence import (
    DependencyCheck,
    DependencyOutcome,
    QuoteCheck,
    QuoteOutcome,
)
from affidavit.records.finding import DependencyQuote, Finding
from affidavit.redaction.spans import MARKER, without_numbers
from affidavit.redaction.text import redact_lines

LINE_NUMBER = re.compile(r"^[+\-\s]*\d+\s?[:|]\s?")
MAX_EXTRA_LINES = 3


@dataclass(frozen=True)
class QuoteMatch:
    """Lines `start` to `end` of a file, counted from 1."""

    start: int
    end: int

    def distance(self, line: int) -> int:
        """Return how many lines away a line is; 0 inside."""
        return max(self.start - line, line - self.end, 0)

    def is_within(self, start: int, end: int) -> bool:
        """Check whether it is wholly inside a range of lines."""
        return start <= self.start and self.end <= end


def fold(line: str) -> str:
    """Fold the white space of a line."""
    return " ".join(line.split())


def find_quote(quote: str, lines: Sequence[str]) -> list[QuoteMatch]:
    """Find every place of a quote; blank lines do not count.

    Whole lines come first, then a quote that begins or ends inside a line. Line numbers and diff marks that
    were copied with the quote are dropped.
    """
    numbered = [(number, folded) for number, line in enumerate(lines, 1) if (folded := fold(line))]
    for reading in _readings(quote):
        for matches in (_is_same, _is_part):
            found = _occurrences(reading, numbered, matches)
            if found:
                return found
    return []


def extend_until_unique(occurrence: QuoteMatch, lines: Sequence[str]) -> QuoteMatch:
    """Add neighbouring lines to a short quote until its text occurs only once in the file."""
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
"""A finding's line may be this far outside the examined range."""


def check_quote(
    finding: Finding, repository: Repository, *, saw_secrets: bool = False
) -> tuple[QuoteCheck, Finding]:
    """Locate a finding's quote, and move the finding to where the code really is.

    A model's quote is searched in the redacted file: a guessed secret must not
    match, or the result would show whether it is right.
    """
    tree = repository.side(finding.side)
    lines = tree.redacted_lines(finding.file)
    if lines is None:
        detail = f"{finding.file} has no readable text at {finding.side}"
        return QuoteCheck(outcome="not_found", file=finding.file, side=finding.side, detail=detail), finding
    entry = tree.entry(finding.file)
    blob = entry.blob if entry else None
    missing = QuoteCheck(outcome="not_found", file=finding.file, side=finding.side, blob=blob)
    if finding.verification is None:
        return _check_line_only(finding, lines, missing), finding
    quoted = finding.evidence.code_examined
    found = _find(quoted, lines)
    if not found and saw_secrets:
        found = find_quote(quoted, tree.lines(finding.file) or [])
    if not found:
        detail = f"the quoted code does not appear in {finding.file} at {finding.side}"
        return missing.model_copy(update={"detail": detail}), finding
    outcome, place = _choose(found, finding, len(lines))
    anchored = finding if outcome == "exact" else _anchor(finding, place, len(lines))
    shown = extend_until_unique(place, lines)
    check = missing.model_copy(
        update={
            "outcome": outcome,
            "start": shown.start,
            "end": shown.end,
            "code": "\n".join(lines[shown.start - 1 : shown.end]),
            "detail": _describe(outcome, finding, place, len(found)),
        }
    )
    return check, _without_secrets(anchored, place, lines)


def _find(quote: str, lines: list[str]) -> list[QuoteMatch]:
    """Find a quote in the redacted lines, as a model saw them."""
    found = find_quote(quote, lines)
    if found or not MARKER.search(quote):
        return found
    # A line beside other text may be redacted further than in its file, and then has other numbers.
    further = [redacted for line in lines for redacted in redact_lines([line])]
    folded = ([without_numbers(line) for line in each] for each in (lines, further))
    return next(filter(None, (find_quote(without_numbers(quote), each) for each in folded)), [])


def _without_secrets(finding: Finding, place: QuoteMatch, lines: list[str]) -> Finding:
    """Replace a quote that has a secret, as an analyser's may, by the redacted lines."""
    if _find(finding.evidence.code_examined, lines):
        return finding
    code = "\n".join(lines[place.start - 1 : place.end])
    proof = finding.evidence.model_copy(update={"code_examined": code})
    return finding.model_copy(update={"verification": proof})


def _check_line_only(finding: Finding, lines: list[str], missing: QuoteCheck) -> QuoteCheck:
    """Check that the lines of a finding of schema 1.0 exist: it has no quote."""
    start, end = finding.lines
    if end > len(lines):
        detail = f"{finding.file} has {len(lines)} lines, the finding names line {end}"
        return missing.model_copy(update={"detail": detail})
    return missing.model_copy(
        update={
            "outcome": "not_quoted",
            "start": start,
            "end": end,
            "code": "\n".join(lines[start - 1 : end]),
            "detail": "a finding of schema 1.0 has no quote",
        }
    )


def _choose(found: list[QuoteMatch], finding: Finding, line_count: int) -> tuple[QuoteOutcome, QuoteMatch]:
    first, last = finding.evidence.line_range_examined

    def distance(place: QuoteMatch) -> int:
        return place.distance(finding.line)

    within = [place for place in found if place.is_within(first, last)]
    is_beside = first - BESIDE_LINES <= finding.line <= last + BESIDE_LINES and finding.line <= line_count
    if within and is_beside:
        nearest = min(within, key=distance)
        is_certain = len(within) == 1 or distance(nearest) == 0
        return ("exact" if is_certain else "ambiguous"), nearest
    if len(within) == 1:
        return "relocated", within[0]
    return ("relocated" if len(found) == 1 else "ambiguous"), min(found, key=distance)


def _anchor(finding: Finding, place: QuoteMatch, line_count: int) -> Finding:
    """Move a finding to the place of its quote."""
    line = finding.line
    if place.distance(line) > 0:
        offset = line - finding.evidence.line_range_examined[0]
        line = place.start + offset if 0 <= offset <= place.end - place.start else place.start
    end_line = finding.end_line and min(line + finding.end_line - finding.line, line_count)
    proof = finding.evidence.model_copy(update={"line_range_examined": (place.start, place.end)})
    return finding.model_copy(update={"line": line, "end_line": end_line, "verification": proof})


def _describe(outcome: QuoteOutcome, finding: Finding, place: QuoteMatch, count: int) -> str:
    where = f"{finding.file}:{place.start}-{place.end} at {finding.side}"
    if outcome == "exact":
        return f"the quote is at {where}"
    if outcome == "relocated":
        return f"the finding named line {finding.line}; the quote is at {where}"
    return f"the quote appears {count} times; the nearest to line {finding.line} is {where}"


@dataclass(frozen=True)
class PackageFile:
    """A file of an installed package, redacted."""

    version: str
    sha256: str
    lines: Sequence[str]


def check_dependency(quote: DependencyQuote, file: PackageFile | str) -> DependencyCheck:
    """Find a quote in the file of a package, or say with its text why there is no such file."""
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
    # The hash identifies the file; the name of its version does not.
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
    """Check whether a recorded check fits its quote: the lines that it shows contain the quoted code."""
    same = (quote.package, quote.file, quote.sha256.lower()) == (
        check.package,
        check.file,
        check.sha256.lower(),
    )
    shows = bool(find_quote(quote.code_examined, check.code.split("\n")))
    is_placed = check.start is not None and check.end is not None and 0 < check.start <= check.end
    return same and (shows and is_placed if check.is_found else not check.code)
