"""The places of an analyser's earlier findings: each followed for itself, reported again or only silenced."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import islice

from affidavit.iterations.following.fates import Entry
from affidavit.iterations.following.matching import is_about_another, match_findings
from affidavit.iterations.following.trace import LIKE_LINE, Trace, own_code, trace_code
from affidavit.ports import Case
from affidavit.proof.quoting.quotes import fold
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Finding
from affidavit.records.iteration import Earlier, EarlierFinding


def place_entries(one: EarlierFinding, earlier: Earlier, case: Case) -> tuple[Entry, ...]:
    """What an analyser's finding stood for, each place as an entry of its own."""
    entries = []
    for place in _places_apart(one):
        if place.finding:
            # Nobody had judged what stood under it from the start.
            worth = place.worth if place.judgements else one.candidate.worth
            judged = place.model_copy(update={"worth": worth})
            alone = EarlierFinding(candidate=judged, key=place.fingerprint)
            entries.append(Entry(alone, trace_code(place, place.finding, earlier, case)))
    return tuple(entries)


def parts_of(entry: Entry) -> tuple[Entry, ...]:
    """The finding that led, then each of its places."""
    return (replace(entry, places=()), *entry.places)


def with_partners(
    entries: Sequence[Entry], findings: Sequence[EarlierFinding], named: Sequence[Candidate]
) -> list[Entry]:
    """The entries, and their places, with what is the same in this review; nobody is a partner twice."""
    known = [
        each
        for one, entry in zip(findings, entries, strict=True)
        for each in (_alone(one), *(place.earlier for place in entry.places))
    ]
    parts = [part for entry in entries for part in parts_of(entry)]
    matched = match_findings(known, [one.trace for one in parts], named)
    return _together(
        entries,
        (
            replace(one, now=matched[at].id, settled=None) if at in matched else one
            for at, one in enumerate(parts)
        ),
    )


def with_silenced(entries: Sequence[Entry], named: Sequence[Candidate], case: Case) -> list[Entry]:
    """The entries, and their places, with what a comment of the change silences; each comment once."""
    parts = [part for entry in entries for part in parts_of(entry)]
    free = {one.id: one for one in named if one.withheld and one.withheld.code is Reason.SUPPRESSED}
    pairs = [
        (_unlikeness(one, other), at, other.id)
        for at, one in enumerate(parts)
        if one.now is None
        for other in free.values()
        if _covers(other, one.earlier.candidate, one.trace, case)
    ]
    found: dict[int, Candidate] = {}
    for _, at, name in sorted(pairs):
        if at not in found and name in free:
            found[at] = free.pop(name)
    return _together(entries, (replace(one, silenced=found.get(at)) for at, one in enumerate(parts)))


def as_silenced(entry: Entry, silenced: Candidate, finding: Finding) -> Entry:
    """The entry at the line that a comment silences; where it has moved, in its words of now."""
    said = silenced.withheld.detail if silenced.withheld else ""
    detail = f"a comment that was added after it was reported silences it ({said})"
    trace = Trace("stands", finding.file, *finding.lines, f"{detail}, which settles nothing")
    then = entry.earlier.candidate
    if then.finding and (then.finding.file, then.finding.lines) != (finding.file, finding.lines):
        then = then.model_copy(update={"finding": finding, "quote": silenced.quote})
    return replace(entry, earlier=entry.earlier.model_copy(update={"candidate": then}), trace=trace)


def _alone(one: EarlierFinding) -> EarlierFinding:
    """Without the places, which of an analyser have their own entries."""
    return one.model_copy(update={"places": ()}) if one.candidate.kind == "mechanical" else one


def _together(entries: Sequence[Entry], parts: Iterator[Entry]) -> list[Entry]:
    """The entries made of these parts, as many as each has."""
    return [replace(next(parts), places=tuple(islice(parts, len(entry.places)))) for entry in list(entries)]


def _places_apart(one: EarlierFinding) -> list[Candidate]:
    """What analysers said of other places, and not what a second one said of a line that has its finding."""
    apart = [one.candidate]
    for place in sorted(one.places, key=lambda place: place.specialist != one.candidate.specialist):
        if place.kind == "mechanical" and not any(_is_said_by_another(place, other) for other in apart):
            apart.append(place)
    return apart[1:] if one.candidate.kind == "mechanical" else []


def _is_said_by_another(place: Candidate, other: Candidate) -> bool:
    if place.finding is None or other.finding is None or place.specialist == other.specialist:
        return False
    there = [(one.file, one.side, one.line) for one in (place.finding, other.finding)]
    return there[0] == there[1]


def _unlikeness(entry: Entry, other: Candidate) -> tuple[bool, bool, int, int]:
    """How unlike a silenced finding is to one that stood: by name, by where its code is, by where it was."""
    then, now, trace = entry.earlier.candidate, other.finding, entry.trace
    if then.finding is None or now is None:
        return True, True, 0, 0
    is_elsewhere = now.file != trace.path
    away, before = abs(now.line - trace.start), abs(now.line - then.finding.line)
    return other.fingerprint != then.fingerprint, is_elsewhere, away, before


def _covers(one: Candidate, then: Candidate, trace: Trace, case: Case) -> bool:
    """Whether it is the very line that an analyser spoke of."""
    if one.finding is None or then.finding is None or one.finding.rule_id != then.finding.rule_id:
        return False
    if one.specialist != then.specialist or is_about_another(then, one):
        return False
    lines = case.repository.side(one.finding.side).redacted_lines(one.finding.file) or []
    first, last = one.finding.lines
    before, now = fold(own_code(then)), fold("\n".join(lines[first - 1 : last]))
    is_same_code = before in now or SequenceMatcher(None, before, now, autojunk=False).ratio() >= LIKE_LINE
    return one.finding.file in (trace.path, then.finding.file) and bool(before) and is_same_code
