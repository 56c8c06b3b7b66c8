"""`affidavit label`: label a finding as valid, wrong or a nit, to measure the error rate."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from affidavit.cli.options import data_option, format_option
from affidavit.cli.outputs import print_json
from affidavit.config.places import state_folder
from affidavit.errors import InputError
from affidavit.quality.labels import add_label, labels_of
from affidavit.quality.measures import measure_headline
from affidavit.records.candidate import Candidate
from affidavit.records.measure import Label, LabelEntry
from affidavit.records.report import Report
from affidavit.render import wording
from affidavit.render.account import measured_words
from affidavit.render.ink import Ink
from affidavit.reviewing.named import find_candidate, find_report, ids_here, is_file, user_name
from affidavit.store.open import Store, open_store

STYLES = {Label.VALID: "bold green", Label.WRONG: "bold red", Label.NIT: "bold yellow"}
_LABEL_WIDTH = 8
_NAME_LENGTH = 12


@click.command()
@click.argument("report")
@click.argument("finding", required=False)
@click.argument("label", required=False, type=click.Choice([str(label) for label in Label]))
@click.option("--why", default="", help="The reason.")
@click.option("--by", metavar="NAME", help="Your name; default: your user name.")
@click.option("--remove", is_flag=True, help="Remove the label; earlier labels are kept.")
@format_option
@data_option
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
    affidavit label last 3f9a --remove    take the label back
    """
    store = open_store(options["data"] or state_folder())
    _check_request(finding, label, options)
    recorded = find_report(report, store, ids_here(store))
    if finding is None:
        _print_list(store, recorded, options["output"])
        return
    candidate = find_candidate(recorded, finding)
    if is_file(report) and not store.reports.has(recorded.id):
        # A label names the digest of its report: the file's own bytes.
        store.reports.save(recorded, Path(report).read_bytes())
    _change_label(store, recorded, candidate, Label(label) if label else None, options)


def _check_request(finding: str | None, label: str | None, options: dict[str, Any]) -> None:
    if options["remove"] and label:
        raise InputError(f"--remove removes a label; leave out {label!r}, or leave out --remove")
    if options["remove"] and finding is None:
        raise InputError("--remove needs the finding whose label is to be removed")
    if label is None and not options["remove"] and (finding or options["why"] or options["by"]):
        raise InputError("no label given; pass valid, wrong or nit, or --remove to take a label back")


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
    notes = [f"before: {before.label}", *_about(before)] if before else []
    if not candidate.is_shown:
        notes.append(f"withheld as {wording.withheld_reason(candidate)}: not in the error rate")
    ink = Ink(Console())
    _write(ink, label, _claim(candidate), notes)
    _write_rate(ink, store)


def _print_list(store: Store, report: Report, output: str) -> None:
    rows = _rows(store, report)
    if output == "json":
        print_json({"report": report.id, "findings": [_as_json(*row) for row in rows]})
        return
    ink = Ink(Console())
    words = [wording.range_of(report.change), report.created_at[:10], f"report {report.id}"]
    ink.head(report.change.title or report.change.target or "a change", ink.joined(words, "dim"))
    for one, entry in rows:
        name = (one.fingerprint or one.id)[:_NAME_LENGTH]
        said = entry.label if entry else None
        _write(ink, said, f"{name}  {_claim(one)}", _notes(one, entry), unlabelled=ink.glyphs.dot)
    labelled = sum(entry is not None for _, entry in rows)
    ink.line((f"{labelled} of {wording.counted(len(rows), 'finding')} labelled", "dim"))
    _write_rate(ink, store)


def _write(
    ink: Ink, label: Label | None, text: str, notes: Sequence[str], unlabelled: str = "removed"
) -> None:
    start = Text(str(label or unlabelled).ljust(_LABEL_WIDTH), style=STYLES[label] if label else "dim")
    ink.hanging(start, ink.inline(" ".join(text.split())), indent=0)
    if notes:
        ink.hanging(Text(" " * _LABEL_WIDTH), ink.joined(notes, "dim"), indent=0)


def _write_rate(ink: Ink, store: Store) -> None:
    ink.line(("error rate: ", "dim"), measured_words(measure_headline(store), ink.glyphs.dash))


def _rows(store: Store, report: Report) -> list[tuple[Candidate, LabelEntry | None]]:
    labels = labels_of(store, report.id)
    return [
        (one, labels.get(one.id))
        for one in wording.ordered(report.candidates)
        if one.is_shown or one.id in labels
    ]


def _notes(candidate: Candidate, entry: LabelEntry | None) -> list[str]:
    withheld = [] if candidate.is_shown else [f"withheld as {wording.withheld_reason(candidate)}"]
    return [*(_about(entry) if entry else []), *withheld]


def _claim(candidate: Candidate) -> str:
    severity = f"{candidate.finding.severity} " if candidate.finding else ""
    return f"{severity}{wording.title_of(candidate)} ({wording.place_of(candidate)})"


def _about(entry: LabelEntry) -> list[str]:
    by = f"by {entry.by}" if entry.by else ""
    return [part for part in (by, entry.at[:10], entry.source, entry.why) if part]


def _as_json(candidate: Candidate, entry: LabelEntry | None) -> dict[str, Any]:
    return {
        "id": candidate.id,
        "fingerprint": candidate.fingerprint,
        "title": wording.title_of(candidate),
        "place": wording.place_of(candidate),
        "is_shown": candidate.is_shown,
        "label": entry.model_dump(mode="json") if entry else None,
    }
