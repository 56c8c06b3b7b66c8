"""Read what a finding quotes of packages; a quote that cannot be read is left out, and noted."""

from typing import Any

from affidavit.contract.field_reader import FieldReader, Notes
from affidavit.records.finding import DependencyQuote

MAX_QUOTES = 10
MAX_TEXT = 400
"""Of a name, a version or a path."""
MAX_CODE = 4_000


def read_dependency_quotes(evidence: FieldReader, name: str) -> tuple[DependencyQuote, ...]:
    """The quotes; they only support a finding, so a broken one does not take it along."""
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
