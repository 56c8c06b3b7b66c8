"""Find what only a person may accept in an agent's work: edited tests, deleted code, silenced findings."""

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import PurePosixPath

from affidavit.languages.test_files import is_test_material, runs_tests
from affidavit.ports import Case, Tree
from affidavit.records.candidate import Candidate
from affidavit.records.change import FileChange
from affidavit.records.context import Symbol
from affidavit.records.diagnostics import Reason
from affidavit.records.report import Report
from affidavit.symbols.changed import symbol_changes
from affidavit.symbols.definitions import symbols_of

KINDS = ("function", "method", "class")
SETTINGS_FILE = re.compile(
    r"^(?:\.?pytest\.(?:ini|toml)|tox\.ini|noxfile\.py|\.coveragerc|\.rspec|\.mocharc\.\w+|phpunit\.xml(?:\.dist)?"
    r"|(?:jest|vitest|vite|playwright|cypress)\.config\.\w+|karma\.conf\.\w+)$"
)
SHARED_SETTINGS = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.cfg|package\.json|(?:GNUm|M|m)akefile|Jenkinsfile)$"
    r"|^(?:\.github/workflows/.+|\.gitlab-ci\.yml)$"
)
"""Files with the settings of tests among others."""
_STUB = re.compile(
    r"(?:(?:throw|raise|panic)\b.*not.?implemented.*|(?:todo|unimplemented)!.*|end|(?:#|//|/\*|\*).*);?",
    re.IGNORECASE,
)
"""A line of a function that does nothing, in languages other than Python."""


def held_back(reviewed: Case, work: Case, first: Report) -> list[str]:
    """Return the reasons why only a person may accept the work since the loop began; else nothing."""
    return list(dict.fromkeys([*_edited_tests(work), *_deleted_code(reviewed, work, first)]))


def suppressed_since(report: Report, first: Report) -> list[str]:
    """Name the findings that comments silence now and did not silence when the loop began."""
    then = {one.fingerprint for one in first.candidates if _is_silenced(one)}
    new = [one for one in report.candidates if _is_silenced(one) and one.fingerprint not in then]
    places = [(one.finding.file, one.finding.line, one.finding.title) for one in new if one.finding]
    return [f"silences a finding at {file}:{line}: {title}" for file, line, title in sorted(set(places))]


def _is_silenced(one: Candidate) -> bool:
    return one.finding is not None and one.withheld is not None and one.withheld.code is Reason.SUPPRESSED


def _edited_tests(work: Case) -> Iterator[str]:
    for file in work.change.files:
        for path in sorted({file.base_path or file.path, file.path}):
            # A new test removes nothing; a file that runs tests may.
            if runs_tests(path) or SETTINGS_FILE.match(PurePosixPath(path).name):
                yield f"edits the settings of the tests: {path}"
            elif file.base_path and is_test_material(path):
                yield f"edits a test: {path}"
            elif SHARED_SETTINGS.search(path):
                yield f"edits a file that may change how tests run: {path}"


def _deleted_code(reviewed: Case, work: Case, first: Report) -> Iterator[str]:
    """Name the files and definitions under review that the work deletes or reverts to base."""
    paths = {file.head_path for file in reviewed.change.reviewed_files() if file.head_path}
    for file in work.change.files:
        if file.base_path in paths and not is_test_material(file.base_path or ""):
            yield from _gone_file(file, reviewed, work)
    named = _under_review(reviewed, first)
    for one in symbol_changes(work.change, work.repository):
        old, new = one.base, one.head
        if old is None or (old.path, old.qualified) not in named:
            continue
        if new is None:
            yield f"deletes {old.path}::{old.qualified}"
        elif _is_stub(work.repository.head, new) and not _is_stub(work.repository.base, old):
            yield f"empties {new.path}::{new.qualified}"


def _gone_file(file: FileChange, reviewed: Case, work: Case) -> Iterator[str]:
    before = reviewed.change.file_at(file.base_path or "")
    if file.head_path is None:
        yield f"deletes {file.path}"
    elif (
        before
        and before.base_path
        and _code(reviewed.repository.base, before.base_path) == _code(work.repository.head, file.head_path)
    ):
        yield f"restores {file.path} from before the change"


def _under_review(reviewed: Case, first: Report) -> set[tuple[str, str]]:
    """Return path and name of each definition that the change touches or a finding points at."""
    changes = symbol_changes(reviewed.change, reviewed.repository)
    found = [one.head for one in changes if one.head and one.head.kind in KINDS]
    for place in [one.finding for one in first.candidates if one.is_shown and one.finding]:
        around = symbols_of(reviewed.repository.head, place.file)
        found += [one for one in around if one.kind in KINDS and one.line <= place.line <= one.end_line]
    return {(one.path, one.qualified) for one in found if not is_test_material(one.path)}


def _is_stub(tree: Tree, symbol: Symbol) -> bool:
    """Check whether a definition holds nothing but `pass`, `...`, a docstring or "not implemented"."""
    text = textwrap.dedent("\n".join((tree.lines(symbol.path) or [])[symbol.line - 1 : symbol.end_line]))
    if symbol.path.endswith((".py", ".pyi")):
        try:
            found = ast.parse(text).body
        except (SyntaxError, ValueError, RecursionError):
            return False
        return len(found) == 1 and all(map(_does_nothing, getattr(found[0], "body", ())))
    body = text.partition("{")[2].rpartition("}")[0] if "{" in text else text.partition("\n")[2]
    return all(_STUB.fullmatch(line.strip()) for line in body.splitlines() if line.strip())


def _does_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        return statement.exc is not None and "NotImplementedError" in ast.unparse(statement.exc)
    is_constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_constant or isinstance(statement, ast.Pass)


def _code(tree: Tree, path: str) -> list[str]:
    """Return the lines of a file without blank lines and comments."""
    lines = [line.strip() for line in tree.lines(path) or []]
    return [line for line in lines if line and not line.startswith(("#", "//", "/*", "*"))]
