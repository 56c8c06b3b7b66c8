"""Reconcile the paths of a finding with the files of the change."""

import posixpath
from collections import Counter
from collections.abc import Collection

from affidavit.contract.field_reader import Notes, show_value
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import Cause, Finding
from affidavit.redaction.text import redact_text


def normalise_path(path: str) -> str | None:
    """A path relative to the repository in its plain form; None for one that leaves the repository."""
    path = path.replace("\\", "/")
    if not path or path.startswith("/") or "\0" in path:
        return None
    plain = posixpath.normpath(path)
    return None if plain in (".", "..") or plain.startswith("../") else plain


class ChangedPaths:
    """The files of the change, found by any spelling that means the same path."""

    def __init__(self, paths: Collection[str]) -> None:
        self._exact = frozenset(path for path in paths if normalise_path(path) is not None)
        self._by_plain_form: dict[str, str] = {}
        for path in sorted(self._exact):
            plain = normalise_path(path)
            if plain is not None:
                # Two files may share a plain form: the one that is spelled so wins.
                self._by_plain_form.setdefault(plain, plain if plain in self._exact else path)
        self._by_shown_name = _shown_names(self._exact)

    def __contains__(self, path: object) -> bool:
        return path in self._exact

    def match(self, path: str) -> str | None:
        """The changed file that a path means, as the change spells it."""
        if path in self._exact:
            return path
        plain = normalise_path(path)
        return None if plain is None else self._by_plain_form.get(plain) or self._by_shown_name.get(plain)


def _shown_names(paths: Collection[str]) -> dict[str, str]:
    """Names that hold a secret, by what models see of them; one that means two files means none."""
    shown = [(redact_text(path), path) for path in paths]
    counts = Counter(name for name, _ in shown)
    return {name: path for name, path in shown if name != path and counts[name] == 1}


def reconcile_finding(finding: Finding, changed: ChangedPaths, notes: Notes) -> Finding | None:
    """The finding with its paths as the change spells them; None if it is about other files."""
    cause = _reconcile_cause(finding, changed, notes)
    file = changed.match(finding.file)
    if file is None and finding.is_impact and cause is not None:
        # The evidence stage checks that such a file exists and contains the quote.
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
        Reason.FILE_NOT_IN_CHANGED_FILES,
        field,
        f"`{field}` is {show_value(path)}, which is not among the changed files",
        "one of the changed files",
    )
