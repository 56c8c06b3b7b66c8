"""Read the program that a finding offers as its proof; one that cannot be read is left out, and noted."""

from typing import Any

import re2

from affidavit.contract.field_reader import FieldReader, Notes
from affidavit.records.diagnostics import Diagnostic, Reason
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.program_runs import AddedFile

MAX_PATTERN = 2000


def read_reproduction(evidence: FieldReader, name: str) -> Reproduction | None:
    """The reproduction; a finding is as welcome without one, so a broken one does not take it along."""
    value = evidence.raw(name)
    if value is None:
        return None
    read = parse_reproduction(value)
    if isinstance(read, Reproduction):
        return read
    evidence.left_out(name, read)
    return None


def parse_reproduction(value: Any, *, is_strict: bool = False) -> Reproduction | str:
    """The reproduction, or why it is none; who is strict forgives nothing that a reply is forgiven."""
    if not isinstance(value, dict):
        return "it is no object"
    notes = Notes()
    read = _read(FieldReader(value, notes))
    noted = notes.diagnostics if is_strict else notes.problems
    if noted:
        return _words(noted[0])
    if read is None:
        return "it cannot be read"
    if read.expected_at_base == read.expected_at_head:
        return "it expects the same at base and at head, which shows nothing about the change"
    return read


def _read(reader: FieldReader) -> Reproduction | None:
    language = reader.text("language", is_required=True)
    program = reader.text("program", is_required=True, is_trimmed=False)
    files = [_read_file(file) for file in reader.objects("files")]
    head = _read_expected(reader.object("expected_at_head", is_required=True))
    # Null is how the contract says that base lacks the code.
    lacks_code = reader.raw("expected_at_base") is None
    base = None if lacks_code else _read_expected(reader.object("expected_at_base"))
    reader.check_unknown(is_lenient=True)
    if reader.has_problems or language is None or program is None or head is None:
        return None
    return Reproduction(
        language=language,
        program=program,
        files=tuple(file for file in files if file),
        expected_at_head=head,
        expected_at_base=base,
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
        reader.refuse("exit_code", "is no exit code", "a number from 0 to 255")
        return None
    problem = pattern_problem(output)
    if problem:
        reader.refuse("output", problem, "a regular expression")
        return None
    return Expected(exit_code=code, output=output)


def pattern_problem(pattern: str) -> str:
    """Why a text is no pattern that can be run in linear time; empty where it is one."""
    if len(pattern) > MAX_PATTERN:
        return f"has more than {MAX_PATTERN} characters"
    try:
        compile_pattern(pattern)
    except re2.error as error:
        said = error.args[0] if error.args else error
        return f"cannot be read: {said.decode('utf-8', 'replace') if isinstance(said, bytes) else said}"
    return ""


def compile_pattern(pattern: str) -> Any:
    """The pattern; `^` and `$` are the ends of a line, since what is printed ends with one."""
    options = re2.Options()
    # Errors are raised, not printed.
    options.log_errors = False
    options.max_mem = 8 << 20
    return re2.compile(f"(?m){pattern}", options)


def _words(noted: Diagnostic) -> str:
    if noted.code is Reason.UNKNOWN_FIELD:
        return f"`{noted.field}` is no field of a reproduction"
    return f"{noted.detail}; expected {noted.expected}" if noted.expected else noted.detail
