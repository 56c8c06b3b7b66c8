"""`affidavit ignore`: dismiss a finding: write it and the reason to a file in the repository."""

from pathlib import Path
from typing import Any

import click

from affidavit.cli.change import allowed_of
from affidavit.cli.options import data_option, repository_options
from affidavit.config.baseline import BASELINE_PATH, FINGERPRINT, add_dismissal, new_dismissal
from affidavit.config.places import state_folder
from affidavit.errors import InputError, SettingsError, StoreError
from affidavit.git.location import find_repository
from affidavit.records.report import StoredFinding
from affidavit.render.safe_text import visible
from affidavit.reviewing.named import NEWEST, find_candidate, find_report, ids_here
from affidavit.store.open import open_store


@click.command()
@click.argument("finding")
@click.option("--why", required=True, help="Why the finding is dismissed.")
@click.option("--report", metavar="REPORT", help="The report that has it: a file, an id; default: `last`.")
@repository_options
@data_option
def command(finding: str, why: str, repo: Path | None, data: Path | None, **options: Any) -> None:
    """Dismiss FINDING: a fingerprint, or of a report also its beginning or the finding's id.

    The entry is written into .affidavit/ignored.toml. It counts once it is part of the base commit;
    the finding is then withheld as `dismissed` and still listed.
    """
    fingerprint = _fingerprint(finding, repo, data, options)
    known = _known(fingerprint, data)
    entry = new_dismissal(fingerprint, why, known.title if known else "", known.file if known else "")
    work_tree = find_repository(repo, allowed_of(options)).work_tree
    if work_tree is None:
        raise SettingsError("a bare repository has no folder for the entry; run this in a clone with files")
    path = work_tree / BASELINE_PATH
    if path.is_symlink() or path.parent.is_symlink():
        raise SettingsError(f"{path} is a link; the entry must be in the repository itself")
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        path.parent.mkdir(exist_ok=True)
        path.write_text(add_dismissal(text, entry), encoding="utf-8", errors="replace")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path} is not UTF-8 text: repair it first") from error
    except OSError as error:
        raise SettingsError(f"{path} cannot be written: {error.strerror}") from error
    what = f"{known.title} ({known.file}:{known.line})" if known else "no kept report has this fingerprint"
    click.echo(f"dismissed {fingerprint}: {visible(what)}")
    click.echo(f"Commit {BASELINE_PATH}; it counts for changes whose base has it.")


def _fingerprint(finding: str, repo: Path | None, data: Path | None, options: dict[str, Any]) -> str:
    if FINGERPRINT.fullmatch(finding) and not options["report"]:
        return finding
    store = open_store(data or state_folder())
    try:
        recorded = find_report(options["report"] or NEWEST, store, ids_here(store, repo, allowed_of(options)))
    except InputError as error:
        if options["report"]:
            raise
        raise InputError(f"{finding!r} is not a fingerprint of 16 characters, and {error}") from error
    return find_candidate(recorded, finding).fingerprint


def _known(fingerprint: str, data: Path | None) -> StoredFinding | None:
    try:
        return open_store(data or state_folder()).reports.find_fingerprint(fingerprint)
    except StoreError:
        # The title in the entry is optional, so a store is not needed.
        return None
