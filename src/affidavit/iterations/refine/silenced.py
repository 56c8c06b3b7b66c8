"""What the comments of a loop's agent silence: findings that count as if nothing had been said."""

from collections.abc import Mapping

from affidavit.records.candidate import Candidate, Status, Worth
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Severity
from affidavit.records.report import Report
from affidavit.specialists.rulebook import worth_of

LEAST = Severity.MEDIUM
"""An agent that silences what it was told has not settled it: no such iteration is accepted."""
Place = tuple[str, int]


def silenced_since(report: Report, first: Report | None) -> dict[Place, Candidate]:
    """What comments silence now and did not when the loop began, one for each place."""
    if first is None:
        return {}
    then = {one.fingerprint for one in first.candidates if _is_silenced(one)}
    new = [one for one in report.candidates if _is_silenced(one) and one.fingerprint not in then]
    return {_place(one): one for one in reversed(new)}


def raised(report: Report, silenced: Mapping[Place, Candidate]) -> Report:
    """The report in which what is carried on though it is silenced weighs at least as much as it should."""
    candidates = [
        _weighty(one) if one.is_shown and _place(one) in silenced else one for one in report.candidates
    ]
    return report.model_copy(update={"candidates": tuple(candidates)})


def as_found(report: Report, silenced: Mapping[Place, Candidate]) -> list[Candidate]:
    """What nobody had reported before it was silenced, as findings."""
    # A nit beside it speaks for nothing: it counts nowhere.
    known = {_place(one) for one in report.shown if one.worth is not Worth.NIT}
    return [_found(one) for place, one in sorted(silenced.items()) if place not in known]


def _is_silenced(one: Candidate) -> bool:
    return one.finding is not None and one.withheld is not None and one.withheld.code is Reason.SUPPRESSED


def _place(one: Candidate) -> Place:
    return (one.finding.file, one.finding.line) if one.finding else ("", 0)


def _found(one: Candidate) -> Candidate:
    update = {
        "id": f"silenced-{one.id}",
        "withheld": None,
        "status": Status.VERIFIED,
        "confidence": "high",
        "worth": worth_of((one.finding and one.finding.rule_id) or ""),
    }
    return _weighty(one.model_copy(update=update))


def _weighty(one: Candidate) -> Candidate:
    if one.finding is None or one.finding.severity.rank <= LEAST.rank:
        return one
    return one.model_copy(update={"finding": one.finding.model_copy(update={"severity": LEAST})})
