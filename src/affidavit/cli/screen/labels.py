"""Write a report's findings with what people said about them, for a terminal."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from affidavit.records.candidate import Candidate
from affidavit.records.label import Label, LabelEntry
from affidavit.records.measure import Rate
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.account import measured_words
from affidavit.render.ink import Ink

STYLES = {Label.VALID: "bold green", Label.WRONG: "bold red", Label.NIT: "bold yellow"}
_LABEL_WIDTH = 7
_NAME_WIDTH = 14
_NAME_LENGTH = 12


@dataclass(frozen=True)
class LabelRow:
    """A finding, its label, and the label that the same problem has in another report."""

    candidate: Candidate
    label: LabelEntry | None
    elsewhere: LabelEntry | None


def render_labels(report: Report, rows: Sequence[LabelRow], *, console: Console) -> None:
    """The findings of a report, each with its label; how many have one."""
    ink = Ink(console)
    words = [wording.range_of(report.change), report.created_at[:10], f"report {report.id}"]
    ink.head(report.change.title or report.change.target or "a change", ink.joined(words, "dim"))
    ink.blank()
    by_id = {row.candidate.id: row for row in rows}
    for candidate in wording.ordered([row.candidate for row in rows]):
        _write_row(ink, by_id[candidate.id])
    labelled = sum(row.label is not None for row in rows)
    shown = wording.counted(len(rows), "finding")
    ink.line((f"{labelled} of {shown} labelled" if rows else "The report shows no finding.", "dim"))


def render_history(
    candidate: Candidate, history: Sequence[LabelEntry], elsewhere: LabelEntry | None, *, console: Console
) -> None:
    """Everything that was said about one finding, oldest first."""
    ink = Ink(console)
    ink.hanging(Text(f"{ink.glyphs.mark} ", style="dim"), ink.inline(_claim(candidate), "bold"), indent=0)
    for entry in history:
        ink.hanging(_label_text(entry.label, "removed"), ink.joined(_about(entry)), indent=2)
    if not history:
        ink.line(("nobody has labelled it in this report", "dim"))
    if elsewhere:
        ink.hanging(Text(), ink.joined([_elsewhere(elsewhere)], "dim"), indent=2)


def render_labelled(
    candidate: Candidate, entry: LabelEntry, before: LabelEntry | None, *, console: Console
) -> None:
    """What was done, and what was said before."""
    ink = Ink(console)
    ink.hanging(_label_text(entry.label, "removed"), ink.inline(_claim(candidate)), indent=0)
    if before:
        ink.hanging(Text("before "), ink.joined([str(before.label), *_about(before)], "dim"), indent=0)
    if not candidate.is_shown:
        note = f"withheld as {wording.withheld_reason(candidate)}: it does not count in the error rate"
        ink.hanging(Text(" " * _LABEL_WIDTH), ink.inline(note, "dim"), indent=0)


def render_headline(measured: Rate | None, *, console: Console) -> None:
    """The error rate of the installation."""
    ink = Ink(console)
    said = measured_words(measured, ink.glyphs.dash)
    ink.hanging(Text("this installation: ", style="dim"), Text(said), indent=0)


def _write_row(ink: Ink, row: LabelRow) -> None:
    candidate = row.candidate
    name = ink.safe((candidate.fingerprint or candidate.id)[:_NAME_LENGTH]).ljust(_NAME_WIDTH)
    start = _label_text(row.label.label if row.label else None, ink.glyphs.dot)
    ink.hanging(start.append(name, style="cyan"), ink.inline(_claim(candidate)), indent=0)
    notes = _about(row.label) if row.label else []
    if row.elsewhere and row.label is None:
        notes.append(_elsewhere(row.elsewhere))
    if not candidate.is_shown:
        notes.append(f"withheld as {wording.withheld_reason(candidate)}")
    if notes:
        ink.hanging(Text(" " * (_LABEL_WIDTH + _NAME_WIDTH)), ink.joined(notes, "dim"), indent=0)


def _label_text(label: Label | None, otherwise: str) -> Text:
    word, style = (str(label), STYLES[label]) if label else (otherwise, "dim")
    return Text.assemble((word, style), " " * max(_LABEL_WIDTH - len(word), 1))


def _claim(candidate: Candidate) -> str:
    finding = candidate.finding
    severity = f"{finding.severity} " if finding else ""
    title = " ".join(wording.title_of(candidate).split())
    return f"{severity}{title} ({' '.join(wording.place_of(candidate).split())})"


def _about(entry: LabelEntry) -> list[str]:
    by = f"by {entry.by}" if entry.by else ""
    return [part for part in (by, entry.at[:10], entry.source, entry.why) if part]


def _elsewhere(entry: LabelEntry) -> str:
    return f"labelled {entry.label} in report {entry.report_id[:8]} on {entry.at[:10]}"
