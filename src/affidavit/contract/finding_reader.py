"""Read one finding of a reply: every rule that needs nothing but the finding itself."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any, cast

from affidavit.contract.dependency_reader import read_dependency_quotes
from affidavit.contract.field_reader import FieldReader, Notes, shorten, show_value
from affidavit.contract.reproduction_reader import read_reproduction
from affidavit.contract.schema import CATEGORIES_WITH_A_FAILURE, SCHEMAS
from affidavit.records.diagnostics import Reason
from affidavit.records.finding import (
    Category,
    Cause,
    Confidence,
    Finding,
    Search,
    Severity,
    Verification,
)
from affidavit.records.record import Side

_FINDING = "properties", "findings", "items", "properties"
_CONFIDENCES = ("high", "medium", "low")
_SIDES = ("head", "base")


@dataclass(frozen=True)
class ReadingRules:
    """By which rules the findings of a reply are read."""

    version: str
    """The schema version whose rules apply."""
    is_newer: bool = False
    """The reply has a newer minor version, so it may have fields that are not known here."""
    known_paths: Container[str] = ()
    """Paths that are taken literally, whatever characters they have."""

    @property
    def evidence_fields(self) -> tuple[str, ...]:
        """What `verification` may hold in this version; nothing where it has none."""
        fields: Any = SCHEMAS[self.version]
        for name in (*_FINDING, "verification", "properties"):
            fields = fields.get(name, {})
        return tuple(fields)

    @property
    def has_evidence(self) -> bool:
        """Findings of this version carry `verification`."""
        return bool(self.evidence_fields)


def read_finding(value: Any, index: int, rules: ReadingRules) -> tuple[Finding | None, Notes]:
    """The finding, or None with the problems that it has."""
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
        # The quote is code: white space at either end is part of it.
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
        fields["reproduction"] = read_reproduction(evidence, "reproduction")
        fields["patch"] = evidence.text("patch", is_trimmed=False)
        fields["dependency_quotes"] = read_dependency_quotes(evidence, "dependency_quotes")
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
