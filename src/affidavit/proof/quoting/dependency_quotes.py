"""Check what a finding quotes of a package: a quote and the file that is at hand in, where it stands out."""

from collections.abc import Sequence
from dataclasses import dataclass

from affidavit.proof.quoting.quotes import Occurrence, find_quote
from affidavit.records.evidence import DependencyCheck, DependencyOutcome
from affidavit.records.finding import DependencyQuote


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
    outcome, place = _choose(found, quote.line_range_examined)
    return blank.model_copy(
        update={
            "outcome": outcome,
            "start": place.start,
            "end": place.end,
            "code": "\n".join(file.lines[place.start - 1 : place.end]),
            "detail": _describe(outcome, quote, place, len(found)),
        }
    )


def _choose(
    found: Sequence[Occurrence], examined: tuple[int, int] | None
) -> tuple[DependencyOutcome, Occurrence]:
    if examined is None:
        return ("exact" if len(found) == 1 else "ambiguous"), found[0]
    within = [one for one in found if one.is_within(*examined)]
    if within:
        return ("exact" if len(within) == 1 else "ambiguous"), within[0]
    nearest = min(found, key=lambda one: one.distance(examined[0]))
    return ("relocated" if len(found) == 1 else "ambiguous"), nearest


def _describe(outcome: DependencyOutcome, quote: DependencyQuote, place: Occurrence, count: int) -> str:
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
