"""What one finding stands for: a finding and its report in, further places and other accounts out."""

from collections.abc import Sequence

from affidavit.records.candidate import Candidate
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Severity
from affidavit.records.report import Report
from affidavit.render.report.proof.programs import decided_by
from affidavit.render.report.wording import counted, finder_name, listed, place_of, title_of

MAX_LINES = 12
MAX_PLACES = 12
MAX_IN_SHORT = 5
MAX_ACCOUNTS = 10


def duplicates_of(candidate: Candidate, report: Report) -> list[Candidate]:
    """What was withheld because this finding says it, in the order of the file."""
    meant = (str(Reason.DUPLICATE_OF), candidate.id)
    # Asked for each of thousands of findings: what is withheld is not gathered anew each time.
    ended = [(one, why) for one in report.candidates if (why := one.withheld)]
    under = [one for one, why in ended if (str(why.code), why.detail) == meant]
    return sorted(under, key=_by_place)


def _by_place(candidate: Candidate) -> tuple[str, int, str]:
    finding = candidate.finding
    return (finding.file, finding.line, candidate.id) if finding else ("", 0, candidate.id)


def said_under(candidate: Candidate, report: Report) -> list[tuple[str, str]]:
    """Further places of the same rule or cause, and what others said of the same, each with its label."""
    under = duplicates_of(candidate, report)
    lines = [one for one in under if _is_line(one, candidate)]
    places = places_elsewhere(candidate, [one for one in under if one not in lines])
    accounts = [one for one in under if one not in lines and one not in places]
    said = [("also at", _lines(lines))] if lines else []
    said += _listed("also at", [_quoted(one) for one in places], MAX_PLACES, "more place")
    return said + _listed("also said", [_account(one) for one in accounts], MAX_ACCOUNTS, "more account")


def further_places(candidate: Candidate, report: Report) -> str:
    """Where else it is, in a few words; empty where it stands for no other place."""
    under = duplicates_of(candidate, report)
    lines = [one for one in under if _is_line(one, candidate)]
    places = [*lines, *places_elsewhere(candidate, [one for one in under if one not in lines])]
    named = list(dict.fromkeys(map(place_of, places)))
    more = [f"{len(named) - MAX_IN_SHORT} more"] if len(named) > MAX_IN_SHORT else []
    return f"also at {listed([*named[:MAX_IN_SHORT], *more])}" if named else ""


def places_elsewhere(leader: Candidate, under: Sequence[Candidate]) -> list[Candidate]:
    """Where the machine proved the same to be wrong, each place once, the worst first."""
    found: dict[str, Candidate] = {}
    if not leader.is_open_by_machine:
        return []
    for one in sorted(under, key=lambda one: one.specialist != leader.specialist):
        if one.finding and one.is_open_by_machine and place_of(one) != place_of(leader):
            found.setdefault(place_of(one), one)
    return sorted(found.values(), key=lambda one: (_rank(one), _by_place(one)))


def _rank(candidate: Candidate) -> int:
    return candidate.finding.severity.rank if candidate.finding else len(Severity)


def _listed(label: str, texts: Sequence[str], most: int, rest: str) -> list[tuple[str, str]]:
    distinct = list(dict.fromkeys(texts))
    more = [counted(len(distinct) - most, rest)] if len(distinct) > most else []
    return [(label, text) for text in (*distinct[:most], *more)]


def why_withheld(candidate: Candidate, report: Report) -> str:
    """The detail of a reason; of a duplicate, the finding that says it, as the report names it."""
    withheld = candidate.withheld
    if withheld is None:
        return ""
    stands = next((one for one in report.candidates if one.id == withheld.detail), None)
    if str(withheld.code) != str(Reason.DUPLICATE_OF) or stands is None:
        return f"{withheld.detail} (shown by a program)" if decided_by(candidate) else withheld.detail
    name = f" ({stands.fingerprint})" if stands.fingerprint else ""
    return f"{place_of(stands)} {title_of(stands)}{name}"


def _account(candidate: Candidate) -> str:
    """A further place or effect of the same cause; nobody may take it for verified."""
    is_judged = candidate.is_proven_by_machine or bool(candidate.judgements)
    unjudged = "" if is_judged else " (not judged by itself)"
    return f"{finder_name(candidate.specialist)}, {place_of(candidate)}: {title_of(candidate)}{unjudged}"


def _quoted(place: Candidate) -> str:
    """Where it is, and the code that is there; its title where no code is quoted."""
    finding, quote = place.finding, place.quote
    lines = quote.code.split("\n") if quote and quote.start is not None else []
    at = finding.line - quote.start if finding and quote and quote.start is not None else -1
    code = " ".join(lines[at].split()) if 0 <= at < len(lines) else ""
    return f"{place_of(place)}: {f'`{code}`' if code and '`' not in code else code or title_of(place)}"


def _is_line(one: Candidate, leader: Candidate) -> bool:
    # Two findings of a model have no rule in common: each says something of its own.
    if one.finding is None or leader.finding is None or leader.finding.rule_id is None:
        return False
    is_alike = one.specialist == leader.specialist and all(
        getattr(one.finding, name) == getattr(leader.finding, name) for name in ("rule_id", "file", "title")
    )
    return is_alike and one.finding.line != leader.finding.line


def _lines(places: Sequence[Candidate]) -> str:
    numbers = sorted({one.finding.line for one in places if one.finding})
    named = [str(number) for number in numbers[:MAX_LINES]]
    more = [f"{len(numbers) - MAX_LINES} more"] if len(numbers) > MAX_LINES else []
    return f"{'line' if len(numbers) == 1 else 'lines'} {listed([*named, *more])}"
