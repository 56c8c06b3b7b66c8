"""Read one finding of a reply by the rules that need only the finding itself."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any, cast

import re2

from affidavit.contract.field_reader import FieldReader, Notes, shorten, show_value
from affidavit.contract.schema import (
    CATEGORIES_WITH_A_FAILURE,
    CURRENT_SCHEMA_VERSION,
    MAX_SECONDS,
    PROGRAMS_SCHEMA_VERSION,
    SCHEMAS,
)
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.finding import (
    Category,
    Cause,
    Confidence,
    DependencyQuote,
    Expected,
    Finding,
    Reproduction,
    Search,
    Severity,
    Verification,
)
from affidavit.records.program_runs import AddedFile
from affidavit.records.record import Side

MAX_PATTERN = 2000


def read_reproduction(evidence: FieldReader, name: str, version: str) -> Reproduction | None:
    """Read a reproduction; a broken one is left out, and the finding stays."""
    value = evidence.raw(name)
    if value is None:
        return None
    read = parse_reproduction(value, version)
    if isinstance(read, Reproduction):
        if (read.seconds or 0) <= MAX_SECONDS:
            return read
        evidence.changed(f"{name}.seconds", f"cut to {MAX_SECONDS}")
        return read.model_copy(update={"seconds": MAX_SECONDS})
    evidence.left_out(name, read)
    return None


def parse_reproduction(
    value: Any, version: str = CURRENT_SCHEMA_VERSION, *, is_strict: bool = False
) -> Reproduction | str:
    """Read a reproduction, or say why it is invalid; a strict reader coerces nothing."""
    if not isinstance(value, dict):
        return "it is no object"
    notes = Notes()
    read = _read_reproduction(FieldReader(value, notes), has_more=version != PROGRAMS_SCHEMA_VERSION)
    noted = notes.diagnostics if is_strict else notes.problems
    if noted:
        return _words(noted[0])
    if read is None:
        return "it cannot be read"
    if read.expected_at_base == read.expected_at_head and not (read.promised and read.expected_when_fixed):
        return "it expects the same at base and at head, which shows nothing about the change"
    return read


def _read_reproduction(reader: FieldReader, *, has_more: bool) -> Reproduction | None:
    language = reader.text("language", is_required=True)
    program = reader.text("program", is_required=True, is_trimmed=False)
    files = [_read_file(file) for file in reader.objects("files")]
    head = _read_expected(reader.object("expected_at_head", is_required=True))
    # Null means that base lacks the code.
    lacks_code = reader.raw("expected_at_base") is None
    base = None if lacks_code else _read_expected(reader.object("expected_at_base"))
    more: dict[str, Any] = {}
    if has_more:
        more = {
            "expected_when_fixed": _read_expected(reader.object("expected_when_fixed")),
            "promised": reader.text("promised"),
            "seconds": reader.line("seconds"),
        }
    reader.check_unknown(is_lenient=True)
    if reader.has_problems or language is None or program is None or head is None:
        return None
    return Reproduction(
        language=language,
        program=program,
        files=tuple(file for file in files if file),
        expected_at_head=head,
        expected_at_base=base,
        **more,
    )


def _read_file(reader: FieldReader) -> AddedFile | None:
    path = reader.text("path", is_required=True)
    content = reader.text("content", is_trimmed=False) or ""
    reader.check_unknown(is_lenient=True)
    return AddedFile(path=path, content=content) if path else None


def _read_expected(reader: FieldReader | None) -> Expected | None:
    if reader is None:
        return None
    code: Any = reader.raw("exit_code")
    output = reader.text("output", is_trimmed=False) or ""
    reader.check_unknown(is_lenient=True)
    if not isinstance(code, int) or isinstance(code, bool) or not 0 <= code <= 255:
        reader.refuse("exit_code", "is not an exit code", "a number from 0 to 255")
        return None
    problem = pattern_problem(output)
    if problem:
        reader.refuse("output", problem, "a regular expression")
        return None
    return Expected(exit_code=code, output=output)


def pattern_problem(pattern: str) -> str:
    """Say why a text is not a pattern that runs in linear time; empty if it is one."""
    if len(pattern) > MAX_PATTERN:
        return f"has more than {MAX_PATTERN} characters"
    try:
        compile_pattern(pattern)
    except re2.error as error:
        said = error.args[0] if error.args else error
        return f"cannot be read: {said.decode('utf-8', 'replace') if isinstance(said, bytes) else said}"
    return ""


def compile_pattern(pattern: str) -> Any:
    """Compile a pattern; `^` and `$` are the ends of a line, since output ends with one."""
    options = re2.Options()
    # Errors are raised, not printed.
    options.log_errors = False
    options.max_mem = 8 << 20
    return re2.compile(f"(?m){pattern}", options)


def _words(noted: Diagnostic) -> str:
    if noted.code is Reason.UNKNOWN_FIELD:
        return f"`{noted.field}` is not a field of a reproduction"
    return f"{noted.detail}; expected {noted.expected}" if noted.expected else noted.detail


MAX_QUOTES = 10
MAX_TEXT = 400
"""Limit of a name, a version or a path."""
MAX_CODE = 4_000


def read_dependency_quotes(evidence: FieldReader, name: str) -> tuple[DependencyQuote, ...]:
    """Read the quotes of packages; a broken one is left out, and the finding stays."""
    value = evidence.raw(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        evidence.left_out(name, "it is no list")
        return ()
    read = []
    for position, given in enumerate(value[:MAX_QUOTES]):
        one = _read(given)
        if isinstance(one, DependencyQuote):
            read.append(one)
        else:
            evidence.left_out(f"{name}[{position}]", one)
    if len(value) > MAX_QUOTES:
        evidence.left_out(name, f"of {len(value)} quotes the first {MAX_QUOTES} are read")
    return tuple(read)


def _read(value: Any) -> DependencyQuote | str:
    if not isinstance(value, dict):
        return "it is no object"
    notes = Notes()
    reader = FieldReader(value, notes)
    fields: dict[str, Any] = {
        name: reader.text(name, is_required=True) for name in ("package", "version", "file", "sha256")
    }
    fields["code_examined"] = reader.text("code_examined", is_required=True, is_trimmed=False)
    if reader.raw("line_range_examined") is not None:
        fields["line_range_examined"] = reader.line_range("line_range_examined")
    reader.check_unknown(is_lenient=True)
    if notes.problems:
        return notes.problems[0].detail
    if len(fields["code_examined"]) > MAX_CODE:
        return f"it quotes more than {MAX_CODE} characters"
    long = [name for name in ("package", "version", "file", "sha256") if len(fields[name]) > MAX_TEXT]
    return f"`{long[0]}` has more than {MAX_TEXT} characters" if long else DependencyQuote(**fields)


_FINDING = "properties", "findings", "items", "properties"
_CONFIDENCES = ("high", "medium", "low")
_SIDES = ("head", "base")


@dataclass(frozen=True)
class ReadingRules:
    """The rules by which the findings of a reply are read."""

    version: str
    """The schema version whose rules apply."""
    is_newer: bool = False
    """The reply has a newer minor version, so it may have fields that are not known here."""
    known_paths: Container[str] = ()
    """Paths to take literally, whatever characters they have."""

    @property
    def evidence_fields(self) -> tuple[str, ...]:
        """Return the fields that `verification` may have in this version."""
        fields: Any = SCHEMAS[self.version]
        for name in (*_FINDING, "verification", "properties"):
            fields = fields.get(name, {})
        return tuple(fields)

    @property
    def has_evidence(self) -> bool:
        """Check whether findings of this version have `verification`."""
        return bool(self.evidence_fields)


def read_finding(value: Any, index: int, rules: ReadingRules) -> tuple[Finding | None, Notes]:
    """Return the finding, or None with its problems."""
    notes = Notes(index=index)
    if not isinstance(value, dict):
        notes.problem(Reason.INVALID_TYPE, None, f"the finding is {show_value(value)}", "an object")
        return None, notes
    notes.id = _id_of(value)
    if rules.has_evidence:
        value = _gather_evidence(value, notes, rules.evidence_fields)
    fields = _read_fields(FieldReader(value, notes), rules)
    if notes.problems:
        return None, notes
    return Finding(**fields), notes


def _id_of(value: dict[str, Any]) -> str | None:
    named = value.get("id")
    return (shorten(named.strip()) or None) if isinstance(named, str) else None


def _gather_evidence(value: dict[str, Any], notes: Notes, known: Sequence[str]) -> dict[str, Any]:
    """Move evidence that was given beside `verification` into it, unless the field is there already."""
    evidence = value.get("verification")
    if evidence is None:
        evidence = {}
    if not isinstance(evidence, dict):
        return value
    moved = [name for name in known if name in value and name not in evidence]
    if not moved:
        return value
    for name in moved:
        notes.coerced(name, "moved into verification")
    kept = {name: field for name, field in value.items() if name not in moved}
    return {**kept, "verification": {**evidence, **{name: value[name] for name in moved}}}


def _read_fields(reader: FieldReader, rules: ReadingRules) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "id": reader.text("id", is_required=True),
        "severity": reader.choice("severity", [str(word) for word in Severity], is_required=True),
        "category": reader.choice("category", [str(word) for word in Category], is_required=True),
        "title": reader.text("title", is_required=True),
        "file": _read_path(reader, "file", rules),
        **_read_lines(reader),
        "message": reader.text("message", is_required=True),
        "suggestion": reader.text("suggestion"),
        "confidence": cast("Confidence | None", reader.choice("confidence", _CONFIDENCES)),
        "rule_id": reader.text("rule_id"),
    }
    if rules.has_evidence:
        evidence = reader.object("verification", is_required=True)
        if evidence is not None:
            fields["verification"] = _read_verification(evidence, fields["category"], rules)
    reader.check_unknown(is_lenient=rules.is_newer)
    return fields


def _read_path(reader: FieldReader, name: str, rules: ReadingRules) -> str | None:
    path = reader.text(name, is_required=True, is_trimmed=False)
    if path is None or path in rules.known_paths:
        return path
    trimmed = path.strip()
    if trimmed != path:
        reader.changed(name, "white space around it removed")
    if "\0" in trimmed:
        reader.refuse(name, "contains a NUL character", "a path")
        return None
    if "\\" in trimmed:
        reader.changed(name, "path separators read as /")
    return trimmed.replace("\\", "/")


def _read_lines(reader: FieldReader) -> dict[str, int | None]:
    line = reader.line("line", is_required=True)
    end_line = reader.line("end_line")
    if line is not None and end_line is not None and end_line < line:
        reader.out_of_order("end_line", f"is {end_line}, before line {line}")
    return {"line": line, "end_line": end_line}


def _read_verification(
    evidence: FieldReader, category: str | None, rules: ReadingRules
) -> Verification | None:
    shows_failure = category in CATEGORIES_WITH_A_FAILURE
    is_impact = evidence.flag("is_impact_finding") or False
    fields: dict[str, Any] = {
        # A quote is code: white space at its ends is part of it.
        "code_examined": evidence.text("code_examined", is_required=True, is_trimmed=False),
        "line_range_examined": evidence.line_range("line_range_examined"),
        "verification_method": evidence.text("verification_method", is_required=True),
        "checked_for_handling_elsewhere": evidence.flag("checked_for_handling_elsewhere", is_required=True),
        "where_checked": evidence.text("where_checked"),
        "is_impact_finding": is_impact,
        "side": _read_side(evidence),
        "failing_input": evidence.text("failing_input", is_required=shows_failure),
        "wrong_outcome": evidence.text("wrong_outcome", is_required=shows_failure),
        "is_absence_finding": evidence.flag("is_absence_finding") or False,
        "searches": tuple(_read_search(search, rules) for search in evidence.objects("searches")),
        "caused_by": _read_cause(evidence.object("caused_by", is_required=is_impact), rules),
    }
    if "reproduction" in rules.evidence_fields:
        fields["reproduction"] = read_reproduction(evidence, "reproduction", rules.version)
        fields["patch"] = evidence.text("patch", is_trimmed=False)
        fields["dependency_quotes"] = read_dependency_quotes(evidence, "dependency_quotes")
    if "appears_after" in rules.evidence_fields:
        fields["appears_after"] = evidence.text("appears_after")
        fields["is_pre_existing"] = evidence.flag("is_pre_existing") or False
    evidence.check_unknown(is_lenient=rules.is_newer)
    return None if evidence.has_problems else Verification(**fields)


def _read_side(reader: FieldReader) -> Side:
    return cast("Side", reader.choice("side", _SIDES) or "head")


def _read_search(reader: FieldReader, rules: ReadingRules) -> Search | None:
    pattern = reader.text("pattern", is_required=True, is_trimmed=False)
    paths = reader.texts("paths")
    side = _read_side(reader)
    if any("\0" in text for text in (pattern or "", *paths)):
        reader.refuse("pattern", "or its paths contain a NUL character", "text that can be searched for")
    reader.check_unknown(is_lenient=rules.is_newer)
    return None if pattern is None else Search(pattern=pattern, paths=tuple(paths), side=side)


def _read_cause(reader: FieldReader | None, rules: ReadingRules) -> Cause | None:
    if reader is None:
        return None
    file = _read_path(reader, "file", rules)
    symbol = reader.text("symbol") or ""
    reader.check_unknown(is_lenient=rules.is_newer)
    return None if file is None else Cause(file=file, symbol=symbol)
