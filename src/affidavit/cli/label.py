"""`affidavit label`: say of a finding that it is valid, wrong or a nit; so the error rate is measured."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from affidavit.cli.outputs import print_json
from affidavit.config.places import state_folder
from affidavit.errors import InputError
from affidavit.quality.labels import add_label, labels_elsewhere, labels_of
from affidavit.quality.measures import measure_headline
from affidavit.records.candidate import Candidate
from affidavit.records.measure import Label, LabelEntry, Rate
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.account import measured_words
from affidavit.render.ink import Ink
from affidavit.render.wording import place_of, title_of
from affidavit.reviewing.named import find_candidate, find_report, ids_here, is_file, user_name
from affidavit.store.open import Store, open_store

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


@click.command()
@click.argument("report")
@click.argument("finding", required=False)
@click.argument("label", required=False, type=click.Choice([str(label) for label in Label]))
@click.option("--why", default="", help="The reason, for whoever reads the label later.")
@click.option("--by", metavar="NAME", help="Who says so; default: your user name.")
@click.option("--remove", is_flag=True, help="Remove the label; earlier labels are kept.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text")
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the store.")
def command(report: str, finding: str | None, label: str | None, **options: Any) -> None:
    """Label FINDING of REPORT as valid, wrong or nit.

    \b
    valid  true, and worth acting on
    wrong  not true, or not a problem
    nit    true, and not worth saying

    REPORT is a file of `review --format report=FILE`, the id of a kept report or the beginning of one,
    or `last` for the newest of this repository. FINDING is an id or a fingerprint, or the beginning of one.

    \b
    affidavit label last                  the findings with their labels
    affidavit label last 3f9a wrong       label one
    affidavit label last 3f9a             what was said about it so far
    affidavit label last 3f9a --remove    take the label back
    """
    store = open_store(options["data"] or state_folder())
    _check_request(finding, label, options)
    recorded = find_report(report, store, ids_here(store))
    if finding is None:
        _print_list(store, recorded, options["output"])
        return
    candidate = find_candidate(recorded, finding)
    if label is None and not options["remove"]:
        _print_history(store, recorded, candidate, options["output"])
        return
    if is_file(report) and not store.reports.has(recorded.id):
        # A label names the digest of what it speaks of: the file's own bytes.
        store.reports.save(recorded, Path(report).read_bytes())
    _change_label(store, recorded, candidate, Label(label) if label else None, options)


def _check_request(finding: str | None, label: str | None, options: dict[str, Any]) -> None:
    if options["remove"] and label:
        raise InputError(f"--remove removes a label; leave out {label!r}, or leave out --remove")
    if options["remove"] and finding is None:
        raise InputError("--remove needs the finding whose label is to be removed")
    if label is None and not options["remove"] and (options["why"] or options["by"]):
        raise InputError("--why and --by go with a label: valid, wrong or nit")


def _change_label(
    store: Store, report: Report, candidate: Candidate, label: Label | None, options: dict[str, Any]
) -> None:
    before = labels_of(store, report.id).get(candidate.id)
    if label is None and before is None:
        raise InputError(f"{candidate.id} has no label to remove")
    by = user_name() if options["by"] is None else options["by"]
    entry = add_label(store, report, candidate, label, why=options["why"], by=by)
    if options["output"] == "json":
        print_json(entry.model_dump(mode="json"))
        return
    render_labelled(candidate, entry, before, console=Console())
    _print_headline(store)


def _print_headline(store: Store) -> None:
    render_headline(measure_headline(store), console=Console())


def _print_list(store: Store, report: Report, output: str) -> None:
    rows = _rows(store, report)
    if output == "json":
        print_json({"report": report.id, "findings": [_as_json(row) for row in rows]})
        return
    render_labels(report, rows, console=Console())
    _print_headline(store)


def _rows(store: Store, report: Report) -> list[LabelRow]:
    """The shown findings, and those withheld ones that somebody labelled."""
    labels, elsewhere = labels_of(store, report.id), labels_elsewhere(store, report)
    return [
        LabelRow(one, labels.get(one.id), elsewhere.get(one.fingerprint))
        for one in report.candidates
        if one.is_shown or one.id in labels
    ]


def _as_json(row: LabelRow) -> dict[str, Any]:
    candidate = row.candidate
    return {
        "id": candidate.id,
        "fingerprint": candidate.fingerprint,
        "title": title_of(candidate),
        "place": place_of(candidate),
        "is_shown": candidate.is_shown,
        "label": row.label.model_dump(mode="json") if row.label else None,
        "elsewhere": row.elsewhere.model_dump(mode="json") if row.elsewhere else None,
    }


def _print_history(store: Store, report: Report, candidate: Candidate, output: str) -> None:
    history: Sequence[LabelEntry] = store.labels.history(report.id, candidate.id)
    if output == "json":
        print_json([entry.model_dump(mode="json") for entry in history])
        return
    elsewhere = labels_elsewhere(store, report).get(candidate.fingerprint)
    render_history(candidate, history, elsewhere, console=Console())
