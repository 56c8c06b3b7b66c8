"""Say where each standing finding is as people look for it: by lines or by name, with what is around it."""

from affidavit.ports import Case
from affidavit.records.candidate import Candidate, Place, PlaceKind
from affidavit.records.docket import Docket, Outcome
from affidavit.records.finding import Finding
from affidavit.symbols.enclosing import Enclosing, enclosing

AROUND_LINES = 3
MAX_LINE = 300
MOST_OF_IT = 0.8
"""A finding that covers so much of a definition is about the definition."""


def name_places(docket: Docket, case: Case) -> Docket:
    """The docket with the place of every finding that stands."""

    def place(candidate: Candidate, finding: Finding) -> Outcome:
        return candidate.model_copy(update={"place": place_of(finding, case)}), ()

    return docket.each(place)


def place_of(finding: Finding, case: Case) -> Place:
    """Where a finding stands, on its own side."""
    first, last = finding.lines
    tree = case.repository.side(finding.side)
    lines = tree.redacted_lines(finding.file) or []
    around = enclosing(tree, finding.file, first, last) if lines else None
    return Place(
        kind=_kind(first, last, around),
        start=first,
        end=last,
        name=around.name if around else "",
        name_start=around.start if around else None,
        name_end=around.end if around else None,
        before=_text(lines[max(0, first - 1 - AROUND_LINES) : first - 1]),
        after=_text(lines[last : last + AROUND_LINES]),
    )


def _kind(first: int, last: int, around: Enclosing | None) -> PlaceKind:
    """By name where the name says more: a definition's header or most of it, whatever is no code."""
    if around is not None and around.kind not in ("function", "line"):
        return around.kind
    if around is not None and around.kind == "function":
        share = (last - first + 1) / (around.end - around.start + 1)
        if first == around.start or share >= MOST_OF_IT:
            return "function"
    return "line" if first == last else "range"


def _text(lines: list[str]) -> str:
    return "\n".join(line[:MAX_LINE] for line in lines)
