"""The specialist that looks for code under review which is gone: deleted, emptied, hollow or put back.

What is deleted has no problems any more: a loop with an agent in it would take that for an improvement.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from affidavit.contract.schema import ASKED_SCHEMA_VERSION
from affidavit.contract.versions import NO_PROMPT_VERSION
from affidavit.languages.registry import LANGUAGES, grammar_of
from affidavit.languages.test_files import is_test
from affidavit.ports import Case, Tree
from affidavit.proof.quoting.quotes import fold
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import Change, FileChange
from affidavit.records.context import Symbol
from affidavit.records.report import Reply
from affidavit.specialists.lost_code.doing import Doing, is_hollowed
from affidavit.specialists.lost_code.python_doing import python_doing
from affidavit.specialists.lost_code.rules import DELETED, Place, finding_of
from affidavit.specialists.lost_code.script_doing import script_doing
from affidavit.symbols.definitions import symbols_of

NAME = "code"
MOVED, EMPTIED = 0.5, 0.2
"""So much of a file elsewhere makes it a moved one; so little left makes it an emptied one."""
MAX_LOST = 20
HOLLOW_LINES = 3
DOING = ("function", "method", "class")
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
            "findings": [
                finding_of(DELETED, number, Place(one.path, one.line, "base"), one.name, case, NAME)
                for number, one in enumerate(gone)
            ],
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
    """Definitions of the change that nothing stands for any more, and any that do nothing any more."""
    path = file.base_path
    if path is None:
        return
    base, head = case.repository.base, case.repository.head
    before = [one for one in symbols_of(base, path) if one.kind in DOING]
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
        is_hollow = one.qualified in now and _is_hollow(one, now[one.qualified], file, case)
        is_gone = one.qualified in added and one.name not in names and not is_elsewhere
        if is_hollow or is_gone:
            yield Gone(path, one.line, f"{path}::{one.qualified}")


def _is_hollow(one: Symbol, now: Symbol, file: FileChange, case: Case) -> bool:
    """It does nothing any more, and what it did is not done elsewhere now."""
    base, head = case.repository.base, case.repository.head
    lines = base.redacted_lines(file.base_path or "") or []
    text = head.redacted_lines(file.head_path or "") or []
    if lines[one.line - 1 : one.end_line] == text[now.line - 1 : now.end_line]:
        return False
    then, left = _doing(one, file.base_path or "", lines), _doing(now, file.head_path or "", text)
    if then is None or left is None or not is_hollowed(then, left):
        return False
    others = _others(now, file, case)
    body = _code(lines[one.line : one.end_line])
    known = Counter(_code([*lines[: one.line], *lines[one.end_line :]]))
    moved = sum(others[line] > known[line] for line in body)
    return not body or moved < MOVED * len(body)


def _others(now: Symbol, file: FileChange, case: Case) -> Counter[str]:
    """The lines of code of all changed files at head, without those of one definition."""
    found: Counter[str] = Counter()
    for path in [one.head_path for one in case.change.files if one.head_path]:
        lines = case.repository.head.redacted_lines(path) or []
        if path == file.head_path:
            lines = [*lines[: now.line - 1], *lines[now.end_line :]]
        found.update(_code(lines) if LANGUAGES.of(path).is_code else [])
    return found


def _doing(one: Symbol, path: str, lines: Sequence[str]) -> Doing | None:
    """What a definition does; None where that cannot be told."""
    text, family = lines[one.line - 1 : one.end_line], LANGUAGES.of(path).family
    if family == "python":
        return python_doing(text)
    grammar = grammar_of(path)
    if family == "javascript" and grammar and one.kind != "class":
        return script_doing(grammar, "\n".join(lines).encode(), one.line, one.end_line)
    body = _code(text[1:], is_bare=True)
    return Doing(acts=len(body) > HOLLOW_LINES or not any(_HOLLOW.search(line) for line in body))


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
