"""The table of compared behaviour in words: a report in, one sentence and a row for each probe out."""

from collections import Counter
from dataclasses import dataclass

from affidavit.records.report import BehaviourRow, ProbeState, Report
from affidavit.records.runs.run import ProbeRun
from affidavit.render.report.proof.programs import Part, parts_of
from affidavit.render.report.wording import counted, title_of

COUNTED: dict[ProbeState, tuple[str, str]] = {
    "alike": ("alike", "alike"),
    "announced": ("differs as announced", "differ as announced"),
    "reported": ("differs (a finding)", "differ (findings)"),
    "differs": ("differs unexplained", "differ unexplained"),
    "flaky": ("not the same twice", "not the same twice"),
    "could_not_run": ("could not be run", "could not be run"),
}
"""One and several of them, in the order in which they are said."""

READ_FIRST: tuple[ProbeState, ...] = ("reported", "differs", "announced", "flaky", "could_not_run", "alike")


@dataclass(frozen=True)
class Compared:
    """One probe as a reader sees it."""

    name: str
    outcome: str
    why: str
    parts: tuple[Part, ...]
    """Its program and what it printed."""
    is_alike: bool


def behaviour_sentence(report: Report) -> str:
    """How many probes there were and what became of them; empty where nobody experimented."""
    counts = Counter(row.state for row in report.behaviour)
    said = [f"{counts[state]} {COUNTED[state][counts[state] > 1]}" for state in COUNTED if counts[state]]
    ran = f"{counted(len(report.behaviour), 'program')} run before and after the change"
    return f"{ran}: {', '.join(said)}" if said else ""


def compared(report: Report) -> list[Compared]:
    """Every probe, those that differ first."""
    return [_compared(row, report) for row in sorted(report.behaviour, key=_reading_order)]


def _reading_order(row: BehaviourRow) -> int:
    return READ_FIRST.index(row.state)


def _compared(row: BehaviourRow, report: Report) -> Compared:
    probe = _probe(row, report)
    return Compared(
        name=row.name,
        outcome=COUNTED[row.state][0],
        why=_why(row, report),
        parts=tuple(parts_of(probe.program, (*probe.base[:1], *probe.head[:1]))) if probe else (),
        is_alike=row.state == "alike",
    )


def _why(row: BehaviourRow, report: Report) -> str:
    if row.announced:
        return f"the change says: {row.announced}"
    if row.detail:
        return f"nothing was compared: {row.detail}"
    about = next((one for one in report.candidates if row.candidate and one.id == row.candidate), None)
    if about is None:
        return ""
    ended = f" (withheld: {about.withheld.code})" if about.withheld else ""
    return f"{title_of(about)}{ended}"


def _probe(row: BehaviourRow, report: Report) -> ProbeRun | None:
    replies = report.inputs.replies if report.inputs else ()
    found = (
        probe
        for reply in replies
        if reply.specialist == row.specialist
        for probe in reply.probes
        if probe.name == row.name
    )
    return next(found, None)
