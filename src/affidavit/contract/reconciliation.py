"""Reconcile the paths of a finding with the files of the change."""

from affidavit.contract.changed_paths import ChangedPaths, normalise_path
from affidavit.contract.field_reader import Notes, show_value
from affidavit.records.diagnostics import Code
from affidavit.records.finding import Cause, Finding


def reconcile_finding(finding: Finding, changed: ChangedPaths, notes: Notes) -> Finding | None:
    """The finding with its paths as the change spells them; None where it speaks of other files."""
    cause = _reconcile_cause(finding, changed, notes)
    file = changed.match(finding.file)
    if file is None and finding.is_impact and cause is not None:
        # That such a file exists, and holds the quote, is for the evidence stage to check.
        file = normalise_path(finding.file)
    if file is None:
        _refuse(notes, "file", finding.file)
    elif file != finding.file:
        notes.coerced("file", f"read as {show_value(file)}")
    if finding.is_impact and cause is None and finding.verification and finding.verification.caused_by:
        _refuse(notes, "verification.caused_by.file", finding.verification.caused_by.file)
    if notes.problems or file is None:
        return None
    return _with_paths(finding, file, cause)


def _reconcile_cause(finding: Finding, changed: ChangedPaths, notes: Notes) -> Cause | None:
    cause = finding.verification.caused_by if finding.verification else None
    if cause is None:
        return None
    file = changed.match(cause.file)
    if file is None:
        return None
    if file != cause.file:
        notes.coerced("verification.caused_by.file", f"read as {show_value(file)}")
    return cause.model_copy(update={"file": file})


def _with_paths(finding: Finding, file: str, cause: Cause | None) -> Finding:
    update: dict[str, object] = {"file": file}
    if cause is not None and finding.verification is not None:
        update["verification"] = finding.verification.model_copy(update={"caused_by": cause})
    return finding.model_copy(update=update)


def _refuse(notes: Notes, field: str, path: str) -> None:
    notes.problem(
        Code.FILE_NOT_IN_CHANGED_FILES,
        field,
        f"`{field}` is {show_value(path)}, which is not among the changed files",
        "one of the changed files",
    )
