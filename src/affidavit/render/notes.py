"""List the notes beside the findings: gaps, previous review, withheld findings, cost.

Terminal and markdown draw these notes in this order, with these labels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from affidavit.render.view import FindingView, ReportView
from affidavit.render.wording import counted

_MAX_LISTED = 10
_MAX_DECISIONS = 20


@dataclass(frozen=True)
class Note:
    """One labelled sentence, and the lines below it."""

    label: str
    text: str
    details: tuple[str, ...] = ()
    is_on_demand: bool = False
    """The details are listed only if the reader asks for what is withheld."""
    is_cut: bool = False
    """A model wrote it: it gets one line, so that it cannot pass for a report of ours."""
    style: str = "dim"


def notes_of(view: ReportView, *, show_nits: bool = False) -> list[Note]:
    """Return the notes of a report; nits are not listed again if they are shown in full."""
    gaps = [Note("incomplete", part, style="bold yellow") for part in view.incomplete]
    gaps += [Note("not run", part) for part in view.not_run]
    alerts = [Note("alert", text, style="bold red") for text in view.alerts]
    notes = [*gaps, *_previous(view), *alerts, *_withheld(view, show_nits=show_nits), *_files(view)]
    notes += [
        Note("coverage", view.coverage),
        Note("settings", view.settings),
        Note("model summary", view.model_says, is_cut=True),
        Note("cost", view.spent),
        Note("error rate", view.error_rate),
    ]
    return [note for note in notes if note.text]


def _previous(view: ReportView) -> Iterator[Note]:
    lines = [f"{fate}: {text}" for fate, text in view.decisions[:_MAX_DECISIONS]]
    more = len(view.decisions) - len(lines)
    yield Note("previous", view.series, (*lines, *([f"{more} more"] if more else [])))


def _withheld(view: ReportView, *, show_nits: bool) -> Iterator[Note]:
    counts = ", ".join(f"{count} {reason}" for reason, count in view.withheld_counts)
    listed = [one for one in view.withheld if not (show_nits and one in view.nits)]
    if view.withheld:
        text = f"{counted(len(view.withheld), 'finding')}: {counts}"
        yield Note("withheld", text, tuple(map(_withheld_line, listed)), is_on_demand=True)
    yield Note("dropped", view.set_aside, view.set_aside_lines, is_on_demand=True)


def _withheld_line(finding: FindingView) -> str:
    why = finding.withheld
    said = [why.why, why.detail] if why else []
    head = " ".join([finding.severity, finding.place, *finding.title.split()]).strip()
    return ": ".join([head, *(part for part in said if part)])


def _files(view: ReportView) -> Iterator[Note]:
    for label, files in (
        ("suppressions", view.suppressions),
        ("skipped", view.skipped),
        ("not examined", view.not_looked_at),
        ("partial", view.in_part),
    ):
        yield Note(label, _by_reason(files))


def _by_reason(files: Sequence[tuple[str, str]]) -> str:
    paths: dict[str, list[str]] = {}
    for path, reason in files[:_MAX_LISTED]:
        paths.setdefault(reason, []).append(path)
    groups = [f"{', '.join(own)} ({reason})" if reason else ", ".join(own) for reason, own in paths.items()]
    more = [f"{len(files) - _MAX_LISTED} more"] if len(files) > _MAX_LISTED else []
    return "; ".join([*groups, *more])
