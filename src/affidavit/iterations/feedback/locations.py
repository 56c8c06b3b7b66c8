"""Where a feedback item is, as its document says it: a reference by lines or by name, with what is around."""

from collections.abc import Callable
from typing import Any

from affidavit.records.candidate import Candidate
from affidavit.records.finding import Finding
from affidavit.records.place import PlaceKind

BY_NAME: tuple[PlaceKind, ...] = ("function", "section", "element", "path")


def reference_of(candidate: Candidate, finding: Finding) -> str:
    """`path:10-12`, or `path::symbol` where the place has a name."""
    place = candidate.place
    if place is not None and place.kind in BY_NAME and place.name:
        return f"{finding.file}::{place.name}"
    first, last = finding.lines
    return f"{finding.file}:{first}-{last}" if last != first else f"{finding.file}:{first}"


def location_of(candidate: Candidate, finding: Finding, clean: Callable[[str], str]) -> dict[str, Any]:
    """The location; a named place is resolved to its lines in `lines`."""
    place = candidate.place
    first, last = finding.lines
    location: dict[str, Any] = {
        "type": place.kind if place else "range" if last != first else "line",
        "reference": clean(reference_of(candidate, finding)),
    }
    if place and place.before:
        location["context_before"] = clean(place.before)
    if place and place.after:
        location["context_after"] = clean(place.after)
    location["path"] = clean(finding.file)
    location["lines"] = {"start": first, "end": last}
    if finding.side == "base":
        location["side"] = "base"
    if place and place.name and place.name_start:
        location["within"] = {
            "name": clean(place.name),
            "start": place.name_start,
            "end": place.name_end or place.name_start,
        }
    return location


def is_exact(candidate: Candidate) -> bool:
    """The place is known to the line: the quote stands there, in one place."""
    return candidate.quote is not None and candidate.quote.outcome in ("exact", "relocated")
