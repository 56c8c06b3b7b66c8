"""`affidavit label`: say of a finding that it is valid, wrong or a nit; so the error rate is measured."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from affidavit.cli.screen.labels import (
    LabelRow,
    render_headline,
    render_history,
    render_labelled,
    render_labels,
)
from affidavit.cli.screen.outputs import print_json
from affidavit.config.places import state_folder
from affidavit.errors import InputError
from affidavit.quality.labels import add_label, labels_elsewhere, labels_of
from affidavit.quality.measures import measure_headline
from affidavit.records.candidate import Candidate
from affidavit.records.label import Label, LabelEntry
from affidavit.records.report import Report
from affidavit.render.wording import place_of, title_of
from affidavit.reviewing.named import find_candidate, find_report, ids_here, is_file, user_name
from affidavit.store.open import Store, open_store


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
