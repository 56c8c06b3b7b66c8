"""Turn any reply into a valid `ReviewResult`, with a diagnostic for each invalid part."""

import json
import posixpath
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from affidavit.contract.field_reader import FieldReader, Notes, show_value
from affidavit.contract.finding_reader import ReadingRules, read_finding
from affidavit.contract.reply_text import FoundObject, NothingFound, decode_json, find_object
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION, SCHEMAS
from affidavit.contract.versions import (
    is_newer_schema,
    is_prompt_compatible,
    parse_prompt_version,
    version_to_read_by,
)
from affidavit.errors import SettingsError
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.finding import Cause, Finding, ReviewResult
from affidavit.records.record import Record
from affidavit.redaction.text import redact_text


def normalise_path(path: str) -> str | None:
    """Return the plain form of a path in the repository; None for one that leaves it."""
    path = path.replace("\\", "/")
    if not path or path.startswith("/") or "\0" in path:
        return None
    plain = posixpath.normpath(path)
    return None if plain in (".", "..") or plain.startswith("../") else plain


class ChangedPaths:
    """The files of the change, found by any spelling of the path."""

    def __init__(self, paths: Collection[str]) -> None:
        self._exact = frozenset(path for path in paths if normalise_path(path) is not None)
        self._by_plain_form: dict[str, str] = {}
        for path in sorted(self._exact):
            plain = normalise_path(path)
            if plain is not None:
                # Two files may share a plain form: an exact spelling wins.
                self._by_plain_form.setdefault(plain, plain if plain in self._exact else path)

    @cached_property
    def _by_shown_name(self) -> dict[str, str]:
        return _shown_names(self._exact)

    def __contains__(self, path: object) -> bool:
        return path in self._exact

    def match(self, path: str) -> str | None:
        """Return the changed file of a path, as the change spells it."""
        if path in self._exact:
            return path
        plain = normalise_path(path)
        return None if plain is None else self._by_plain_form.get(plain) or self._by_shown_name.get(plain)


def _shown_names(paths: Collection[str]) -> dict[str, str]:
    """Map redacted names to names that hold a secret; drop ambiguous ones."""
    shown = [(redact_text(path), path) for path in paths]
    counts = Counter(name for name, _ in shown)
    return {name: path for name, path in shown if name != path and counts[name] == 1}


def reconcile_finding(finding: Finding, changed: ChangedPaths, notes: Notes) -> Finding | None:
    """Spell a finding's paths as the change does; None if it is about other files."""
    cause = _reconcile_cause(finding, changed, notes)
    file = changed.match(finding.file)
    if file is None and finding.is_impact and cause is not None:
        # The evidence stage checks that such a file exists and contains the quote.
        file = normalise_path(finding.file)
    if file is None:
        _refuse(notes, "file", finding.file)
    elif file != finding.file:
        notes.coerced("file", f"read as {show_value(file)}")
    if finding.is_impact and cause is None and finding.evidence.caused_by:
        _refuse(notes, "verification.caused_by.file", finding.evidence.caused_by.file)
    if notes.problems or file is None:
        return None
    return _with_paths(finding, file, cause)


def _reconcile_cause(finding: Finding, changed: ChangedPaths, notes: Notes) -> Cause | None:
    cause = finding.evidence.caused_by
    file = changed.match(cause.file) if cause else None
    if cause is None or file is None:
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


ReplyState = Literal["clean", "accepted", "all_dropped", "rejected"]


class DroppedFinding(Record):
    """A finding that is not valid. `code` is the main reason; the diagnostics have all of them."""

    index: int
    raw: Any
    """The finding as submitted; for one that was cut off, its text so far."""
    code: Reason
    detail: str = ""


class ParsedReply(Record):
    """A reply as the contract reads it. Only `clean` means that nothing was found."""

    state: ReplyState
    result: ReviewResult | None = None
    """None if the reply was rejected; then no finding was read, and none is listed as dropped."""
    indexes: tuple[int, ...] = ()
    """For each finding of the result, its index in the reply."""
    dropped: tuple[DroppedFinding, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    is_truncated: bool = False


@dataclass(frozen=True)
class _Expectation:
    schema_version: str
    prompt_version: str | None
    allow_patch_drift: bool

    def __post_init__(self) -> None:
        if self.schema_version not in SCHEMAS:
            known = ", ".join(SCHEMAS)
            raise SettingsError(
                f"schema version {self.schema_version[:40]!r} is not known; use one of {known}"
            )
        if self.prompt_version is not None and parse_prompt_version(self.prompt_version) is None:
            raise SettingsError(
                f"prompt version {self.prompt_version[:40]!r} is not a version; write it as 1.0 or 1.0.0"
            )


@dataclass(frozen=True)
class _TopLevel:
    result: ReviewResult
    """Without its findings, and with the schema version by which the reply is read."""
    findings: list[Any]
    is_newer: bool
    """The reply names a newer schema version."""


@dataclass
class _Sorted:
    """The findings of a reply, each either kept or dropped."""

    kept: list[Finding] = field(default_factory=list)
    indexes: list[int] = field(default_factory=list)
    dropped: list[DroppedFinding] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def keep(self, finding: Finding, index: int) -> None:
        self.kept.append(finding)
        self.indexes.append(index)

    def drop(self, raw: Any, index: int, notes: Notes) -> None:
        reason = notes.problems[0]
        notes.note(Reason.FINDING_DROPPED, reason.field, f"{reason.code}: {reason.detail}")
        self.dropped.append(DroppedFinding(index=index, raw=raw, code=reason.code, detail=reason.detail))


def parse_reply(
    text: str,
    *,
    schema_version: str = CURRENT_SCHEMA_VERSION,
    prompt_version: str | None = None,
    allow_patch_drift: bool = False,
    changed_files: Collection[str] | None = None,
) -> ParsedReply:
    """Read a reply: JSON, then the top level, then each finding, then its paths.

    With `prompt_version` None any version is read; with `changed_files` None no path is reconciled.
    """
    expectation = _Expectation(schema_version, prompt_version, allow_patch_drift)
    notes = Notes()
    found = find_object(text)
    if isinstance(found, NothingFound):
        notes.problem(found.code, None, found.detail, "one ReviewResult object")
        return _reject(notes, is_truncated=found.code is Reason.TRUNCATED_JSON)
    _note_form(found, notes)
    top = _read_top_level(found, expectation, notes)
    if top is None:
        return _reject(notes, is_truncated=found.is_truncated)
    changed = None if changed_files is None else ChangedPaths(changed_files)
    findings = _sort_findings(top, changed)
    if found.unfinished is not None:
        _drop_unfinished(found.unfinished, len(top.findings), findings)
    return _conclude(top, findings, notes, is_truncated=found.is_truncated)


def _note_form(found: FoundObject, notes: Notes) -> None:
    if found.was_encoded:
        notes.note(Reason.COERCION_APPLIED, None, "the reply was encoded twice; it was decoded once")
    if found.is_truncated:
        notes.note(Reason.TRUNCATED_JSON, None, "the reply was cut off; only whole findings are read")


def _reject(notes: Notes, *, is_truncated: bool) -> ParsedReply:
    reason = notes.problems[0]
    notes.note(Reason.RESPONSE_REJECTED, reason.field, f"{reason.code}: {reason.detail}")
    return ParsedReply(state="rejected", diagnostics=tuple(notes.diagnostics), is_truncated=is_truncated)


def _read_top_level(found: FoundObject, expectation: _Expectation, notes: Notes) -> _TopLevel | None:
    reader = FieldReader(found.value, notes)
    replied_schema = reader.text("schema_version", is_required=True)
    replied_prompt = reader.text("prompt_version", is_required=True)
    findings = _read_findings(reader, found, notes)
    version = _check_schema_version(replied_schema, expectation, notes)
    _check_prompt_version(replied_prompt, expectation, notes)
    # A wrong optional field is dropped; the reply is not.
    optional = Notes(diagnostics=notes.diagnostics)
    extras = FieldReader(found.value, optional)
    summary, meta = extras.text("summary"), _read_meta(extras, found.value, optional)
    for name in ("schema_version", "prompt_version", "findings"):
        extras.raw(name)
    extras.check_unknown(is_lenient=True)
    if notes.problems or version is None or replied_schema is None or replied_prompt is None:
        return None
    result = ReviewResult(
        schema_version=version, prompt_version=replied_prompt, summary=summary, findings=(), meta=meta
    )
    return _TopLevel(result, findings, is_newer_schema(replied_schema, version))


def _read_findings(reader: FieldReader, found: FoundObject, notes: Notes) -> list[Any]:
    value = found.value.get("findings")
    if isinstance(value, str) and value.strip():
        decoded = decode_json(value)
        if isinstance(decoded, list):
            reader.raw("findings")
            reader.changed("findings", "a string with an array in it; it was decoded once")
            value = decoded
    if value is None or value == "":
        notes.problem(Reason.MISSING_REQUIRED_FIELD, "findings", "`findings` is missing", "an array")
    elif not isinstance(value, list):
        notes.problem(Reason.INVALID_TYPE, "findings", f"`findings` is {show_value(value)}", "an array")
    elif found.is_truncated and not value:
        # An empty list in a truncated reply proves nothing: silence is never approval.
        notes.problem(Reason.TRUNCATED_JSON, "findings", "the reply was cut off and no finding is whole")
    else:
        return value
    return []


def _check_schema_version(replied: str | None, expectation: _Expectation, notes: Notes) -> str | None:
    if replied is None:
        return None
    version = version_to_read_by(replied, expectation.schema_version, SCHEMAS)
    if version is None:
        expected = f"{expectation.schema_version} or a newer minor version of it"
        _incompatible(notes, "schema_version", replied, expected)
    return version


def _check_prompt_version(replied: str | None, expectation: _Expectation, notes: Notes) -> None:
    wanted, drift = expectation.prompt_version, expectation.allow_patch_drift
    if replied is None or is_prompt_compatible(replied, wanted, allow_patch_drift=drift):
        return
    expected = "x.y or x.y.z" if wanted is None else wanted + (" with any patch" if drift else "")
    _incompatible(notes, "prompt_version", replied, expected)


def _incompatible(notes: Notes, field: str, replied: str, expected: str) -> None:
    notes.problem(Reason.INCOMPATIBLE_VERSION, field, f"`{field}` is {show_value(replied)}", expected)


def _read_meta(extras: FieldReader, value: dict[str, Any], notes: Notes) -> dict[str, Any] | None:
    if extras.object("meta") is None:
        return None
    meta: dict[str, Any] = value["meta"]
    try:
        json.dumps(meta, allow_nan=False)
    except ValueError:
        notes.note(Reason.INVALID_TYPE, "meta", "`meta` contains a number that is too large; it is ignored")
        return None
    return meta


def _sort_findings(top: _TopLevel, changed: ChangedPaths | None) -> _Sorted:
    rules = ReadingRules(top.result.schema_version, is_newer=top.is_newer, known_paths=changed or ())
    findings = _Sorted()
    for index, raw in enumerate(top.findings):
        finding, notes = read_finding(raw, index, rules)
        if finding is not None and changed is not None:
            finding = reconcile_finding(finding, changed, notes)
        if finding is None:
            findings.drop(raw, index, notes)
        else:
            findings.keep(finding, index)
        findings.diagnostics.extend(notes.diagnostics)
    return findings


def _drop_unfinished(prefix: str, index: int, findings: _Sorted) -> None:
    notes = Notes(index=index)
    notes.problem(Reason.TRUNCATED_JSON, None, "the reply was cut off inside this finding", "a whole finding")
    findings.drop(prefix, index, notes)
    findings.diagnostics.extend(notes.diagnostics)


def _conclude(top: _TopLevel, findings: _Sorted, notes: Notes, *, is_truncated: bool) -> ParsedReply:
    diagnostics = [*notes.diagnostics, *findings.diagnostics]
    if findings.kept:
        state = "accepted"
    elif top.findings:
        state = "all_dropped"
        detail = f"none of {len(top.findings)} findings is left"
        diagnostics.append(Diagnostic(code=Reason.ALL_FINDINGS_DROPPED, detail=detail))
    else:
        state = "clean"
    return ParsedReply(
        state=state,
        result=top.result.model_copy(update={"findings": tuple(findings.kept)}),
        indexes=tuple(findings.indexes),
        dropped=tuple(findings.dropped),
        diagnostics=tuple(diagnostics),
        is_truncated=is_truncated,
    )
