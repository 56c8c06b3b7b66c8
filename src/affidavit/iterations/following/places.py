"""What an analyser says of the places of its earlier findings: reported no longer, or only silenced."""

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from affidavit.iterations.following.carried import why_silent
from affidavit.iterations.following.fates import Entry
from affidavit.iterations.following.matching import is_about_another, match_findings
from affidavit.iterations.following.trace import LIKE_LINE, Trace, own_code, trace_code
from affidavit.ports import Case
from affidavit.proof.quoting.quotes import fold
from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket
from affidavit.records.iteration import Earlier, EarlierFinding


def with_other_places(
    entries: Sequence[Entry], earlier: Earlier, docket: Docket, named: Sequence[Candidate], case: Case
) -> list[Entry]:
    """Entries whose finding stood for many of its rule, with what became of the others.

    Where the first is fixed and another stands, that one speaks for it.
    """
    taken = {one.now for one in entries if one.now}
    done: list[Entry] = []
    for entry in entries:
        first, finding = entry.earlier.candidate, entry.earlier.candidate.finding
        under = _own_places(entry.earlier)
        if not under or finding is None or why_silent(first, finding, entry.trace, docket, case) is not None:
            done.append(entry)
            continue
        places = [(one, trace_code(one, one.finding, earlier, case)) for one in under if one.finding]
        alone = [EarlierFinding(candidate=one, key=one.fingerprint) for one, _ in places]
        free = [one for one in named if one.id not in taken]
        found = match_findings(alone, [trace for _, trace in places], free)
        taken |= {one.id for one in found.values()}
        now = entry.now or next((found[at].id for at in sorted(found)), None)
        gone = [place for at, place in enumerate(places) if at not in found]
        gone += [] if entry.now else [(first, entry.trace)]
        some_fixed = any(silenced_at(one, trace, docket, case) is None for one, trace in gone)
        done.append(replace(entry, now=now, some_fixed=now is not None and some_fixed))
    return done


def silenced_at(then: Candidate, trace: Trace, docket: Docket, case: Case) -> Trace | None:
    """Where a comment of the change silences the very line that an analyser spoke of; None: nowhere."""
    found = next((one for one in docket.candidates if _covers(one, then, trace, case)), None)
    if found is None or found.finding is None or found.withheld is None:
        return None
    file, (first, last) = found.finding.file, found.finding.lines
    detail = f"a comment that was added after it was reported silences it ({found.withheld.detail})"
    return Trace("stands", file, first, last, f"{detail}, which settles nothing")


def silenced_entry(entry: Entry, earlier: Earlier, docket: Docket, case: Case) -> Entry | None:
    """The entry at the first of its places that a comment silences; None where none does."""
    for one in (entry.earlier.candidate, *_own_places(entry.earlier)):
        if one.finding is None:
            continue
        is_first = one is entry.earlier.candidate
        trace = entry.trace if is_first else trace_code(one, one.finding, earlier, case)
        if at := silenced_at(one, trace, docket, case):
            kept = ("id", "fingerprint", "status", "worth", "carries")
            named = {name: getattr(entry.earlier.candidate, name) for name in kept}
            finding = entry.earlier.model_copy(update={"candidate": one.model_copy(update=named)})
            return replace(entry, earlier=finding, trace=at, some_fixed=not is_first)
    return None


def _covers(one: Candidate, then: Candidate, trace: Trace, case: Case) -> bool:
    if one.withheld is None or one.withheld.code is not Reason.SUPPRESSED:
        return False
    if one.finding is None or then.finding is None or one.finding.rule_id != then.finding.rule_id:
        return False
    if one.specialist != then.specialist or is_about_another(then, one):
        return False
    lines = case.repository.side(one.finding.side).redacted_lines(one.finding.file) or []
    first, last = one.finding.lines
    before, now = fold(own_code(then)), fold("\n".join(lines[first - 1 : last]))
    is_same_code = before in now or SequenceMatcher(None, before, now, autojunk=False).ratio() >= LIKE_LINE
    return one.finding.file in (trace.path, then.finding.file) and bool(before) and is_same_code


def _own_places(one: EarlierFinding) -> list[Candidate]:
    """What an analyser itself said of other places."""
    first = one.candidate
    if first.kind != "mechanical":
        return []
    return [place for place in one.places if place.finding and place.specialist == first.specialist]
