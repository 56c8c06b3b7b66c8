"""The specialist that looks for code under review which is gone: deleted, emptied, hollow or put back.

What is deleted has no problems any more: a loop with an agent in it would take that for an improvement.
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from affidavit.analysers.rule import Rule
from affidavit.contract.schema import ASKED_SCHEMA_VERSION
from affidavit.contract.versions import NO_PROMPT_VERSION
from affidavit.languages.registry import LANGUAGES
from affidavit.languages.test_files import is_test
from affidavit.ports import Case, Tree
from affidavit.proof.quoting.quotes import fold
from affidavit.records.candidate import SpecialistKind, Worth
from affidavit.records.change import Change, FileChange
from affidavit.records.context import Symbol
from affidavit.records.finding import Category, Severity
from affidavit.records.report import Reply
from affidavit.symbols.definitions import symbols_of

NAME = "code"
MOVED, EMPTIED = 0.5, 0.2
"""So much of a file elsewhere makes it a moved one; so little left makes it an emptied one."""
MAX_LOST = 20
HOLLOW_LINES = 3
DOING = ("function", "method", "class")
CODE_RULES: tuple[Rule, ...] = (
    Rule(
        id="change/deleted",
        severity=Severity.HIGH,
        category=Category.CORRECTNESS,
        worth=Worth.ACT,
        title="What was to be reviewed is gone: `{name}`",
        meaning="It was deleted, emptied or put back as it was at base, and its code is nowhere else.",
        failing_input="Any use of what was defined there.",
        wrong_outcome="What the change was there to do is not done any more.",
        suggestion="Restore it, and change what the feedback names instead.",
    ),
)


_REMARK = re.compile(r"^(?:#|//|/\*|\*|--|<!--)")
_HOLLOW = re.compile(r"not.?implemented|unimplemented|\btodo\b", re.IGNORECASE)


@dataclass(frozen=True)
class Work:
    """What a change did, when the loop with its agent began."""

    defined: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Path at its head to the names that its files define since."""
    before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Path at its head to the code that base has there."""


@dataclass(frozen=True)
class Gone:
    """One thing that is gone, by its place at the first head."""

    path: str
    line: int
    name: str


def work_of(change: Change, base: Tree, head: Tree) -> Work:
    """What a change adds, for who is to see whether it is still there."""
    files = [file for file in change.files if file.head_path and file.skipped is None]
    defined: dict[str, frozenset[str]] = {}
    for file in files:
        known = {one.qualified for one in symbols_of(base, file.base_path)} if file.base_path else set()
        now = {one.qualified for one in symbols_of(head, file.path) if one.kind in DOING}
        defined[file.path] = frozenset(now - known)
    lines = {file.path: base.redacted_lines(file.base_path) if file.base_path else [] for file in files}
    return Work(defined, {path: tuple(_code(text, is_bare=True)) for path, text in lines.items()})


@dataclass(frozen=True)
class LostCode:
    """Compares the files that were under review, by their paths at the first head."""

    reviewed: frozenset[str]
    work: Work = Work()
    name = NAME
    kind: SpecialistKind = "mechanical"

    def examines(self, file: FileChange) -> bool:
        """Files that were under review; lost tests are another specialist's business."""
        path = file.base_path
        return file.skipped is None and path in self.reviewed and not (path and is_test(path))

    async def examine(self, case: Case) -> Reply:
        """Every file and every definition whose code is gone."""
        gone = list(self._lost(case))[:MAX_LOST]
        result = {
            "schema_version": ASKED_SCHEMA_VERSION,
            "prompt_version": NO_PROMPT_VERSION,
            "findings": [_finding(number, one, case) for number, one in enumerate(gone)],
        }
        return Reply(specialist=NAME, kind="mechanical", text=json.dumps(result))

    def _lost(self, case: Case) -> Iterator[Gone]:
        files = [file for file in case.change.files if self.examines(file)]
        found = [one for file in files for one in self._lost_of(file, case)]
        yield from found
        if files and not found and self._is_put_back(case):
            path = files[0].base_path or ""
            yield Gone(path, _first_line(case.repository.base.redacted_lines(path)), path)

    def _lost_of(self, file: FileChange, case: Case) -> Iterator[Gone]:
        whole = [
            Gone(path, _first_line(case.repository.base.redacted_lines(path)), path)
            for path in _gone(file, case)
        ]
        yield from whole or _gone_definitions(
            file, self.work.defined.get(file.base_path or "", frozenset()), case
        )

    def _is_put_back(self, case: Case) -> bool:
        """Everything that was changed holds base's code again, whatever remarks there are beside it."""
        code = {path: lines for path, lines in self.work.before.items() if not is_test(path)}
        head, base = case.repository.head, case.repository.base
        now = {path: tuple(_code(head.redacted_lines(path), is_bare=True)) for path in code}
        then = {path: tuple(_code(base.redacted_lines(path), is_bare=True)) for path in code}
        return bool(code) and now == dict(code) and then != now


def _gone_definitions(file: FileChange, added: frozenset[str], case: Case) -> Iterator[Gone]:
    """Definitions of the change that nothing stands for any more, or that do nothing any more."""
    path = file.base_path
    if path is None or not added:
        return
    base, head = case.repository.base, case.repository.head
    before = [one for one in symbols_of(base, path) if one.kind in DOING and one.qualified in added]
    others = [one.head_path for one in case.change.files if one.head_path]
    now = {one.qualified: one for one in symbols_of(head, file.head_path)} if file.head_path else {}
    names = {one.name for other in others for one in symbols_of(head, other)}
    known = {
        line for other in others if LANGUAGES.of(other).is_code for line in _code(head.redacted_lines(other))
    }
    lines = base.redacted_lines(path) or []
    for one in before:
        body = _code(lines[one.line : one.end_line])
        is_elsewhere = bool(body) and sum(line in known for line in body) >= MOVED * len(body)
        is_hollow = one.qualified in now and (
            _is_hollow(now[one.qualified], head.redacted_lines(file.head_path or "") or [])
            and not _is_hollow(one, lines)
        )
        if is_hollow or (one.name not in names and not is_elsewhere):
            yield Gone(path, one.line, f"{path}::{one.qualified}")


def _is_hollow(one: Symbol, lines: Sequence[str]) -> bool:
    """Its body does nothing, or says that it is not written yet."""
    text = lines[one.line - 1 : one.end_line]
    if one.language != "python":
        body = _code(text[1:], is_bare=True)
        return len(body) <= HOLLOW_LINES and any(_HOLLOW.search(line) for line in body)
    margin = len(text[0]) - len(text[0].lstrip()) if text else 0
    try:
        module = ast.parse("\n".join(line[margin:] for line in text))
    except (SyntaxError, ValueError, RecursionError):
        return False
    found = module.body[0] if module.body else None
    if not isinstance(found, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    return all(_does_nothing(statement) for statement in found.body)


def _does_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Raise):
        return "NotImplemented" in ast.unparse(statement)
    is_text = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return is_text or isinstance(statement, ast.Pass)


def _gone(file: FileChange, case: Case) -> Iterator[str]:
    """The path at base of a file whose code is nowhere at head."""
    path = file.base_path
    before = _code(case.repository.base.redacted_lines(path)) if path else []
    if not path or not before:
        return
    left = _code(case.repository.head.redacted_lines(file.head_path)) if file.head_path else []
    has_nothing = _defines(case.repository.base, path) and not _defines(case.repository.head, file.head_path)
    is_empty = len(left) <= EMPTIED * len(before) or has_nothing
    if is_empty and not _is_elsewhere(file, before, case):
        yield path


def _defines(tree: Tree, path: str | None) -> bool:
    """Whether a file has anything that does something."""
    return path is not None and any(one.kind in DOING for one in symbols_of(tree, path))


def _is_elsewhere(file: FileChange, before: list[str], case: Case) -> bool:
    others = [one.head_path for one in case.change.files if one.head_path and one.path != file.path]
    lines = {line for path in others for line in _code(case.repository.head.redacted_lines(path))}
    return sum(line in lines for line in before) >= MOVED * len(before)


def _code(lines: Sequence[str] | None, *, is_bare: bool = False) -> list[str]:
    """The lines that say something, folded; bare: without remarks."""
    texts = [text for line in lines or [] if (text := fold(line))]
    return [text for text in texts if not is_bare or not _REMARK.match(text)]


def _first_line(lines: Sequence[str] | None) -> int:
    return next((number for number, line in enumerate(lines or [], 1) if line.strip()), 1)


def _finding(number: int, gone: Gone, case: Case) -> dict[str, object]:
    (rule,) = CODE_RULES
    lines, at = case.repository.base.redacted_lines(gone.path) or [], gone.line
    return {
        "id": f"{NAME}-{number}",
        "severity": rule.severity.value,
        "category": rule.category.value,
        "title": rule.title.format(name=gone.name),
        "file": gone.path,
        "line": at,
        "message": rule.meaning,
        "suggestion": rule.suggestion,
        "confidence": "high",
        "rule_id": rule.id,
        "verification": {
            "code_examined": lines[at - 1],
            "line_range_examined": [at, at],
            "verification_method": f"{NAME} compared both sides",
            "checked_for_handling_elsewhere": True,
            "where_checked": "all changed files",
            "side": "base",
            "failing_input": rule.failing_input,
            "wrong_outcome": rule.wrong_outcome,
        },
    }
