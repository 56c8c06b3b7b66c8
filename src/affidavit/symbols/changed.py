"""Find the definitions that a change adds, removes, renames, touches or gives another signature."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Literal

from affidavit.languages.python_modules import MODULE_ENDS
from affidavit.languages.registry import LANGUAGES, grammar_of, language_of
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange
from affidavit.records.context import Symbol, SymbolChange, SymbolFate, SymbolKind
from affidavit.symbols.definitions import Definition, as_symbol, definitions_of

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def gains_only_annotations(old: Symbol, new: Symbol) -> bool:
    """Check whether a change only adds or removes annotations, which callers need not know."""
    if old.language != "python" or old.kind not in ("function", "method"):
        return False
    before, after = _parsed(old.signature), _parsed(new.signature)
    if before is None or after is None or type(before) is not type(after):
        return False
    pairs = zip(_annotations(before), _annotations(after), strict=False)
    is_compatible = all(one is None or other is None or one == other for one, other in pairs)
    return is_compatible and _without_annotations(before) == _without_annotations(after)


def _parsed(signature: str) -> _Function | None:
    try:
        statement = ast.parse(f"{signature.rstrip().removesuffix(':')}: pass").body[0]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return statement if isinstance(statement, _Function) else None


def _annotations(function: _Function) -> list[str | None]:
    given = [*(one.annotation for one in _arguments(function)), function.returns]
    return [None if one is None else ast.dump(one) for one in given]


def _arguments(function: _Function) -> list[ast.arg]:
    args = function.args
    starred = [one for one in (args.vararg, args.kwarg) if one is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *starred]


def _without_annotations(function: _Function) -> str:
    """Return the function without its annotations."""
    for one in _arguments(function):
        one.annotation = None
    function.returns = None
    return ast.dump(function)


# What a formatter may change in a header.
LAYOUT = re.compile(r"\s+|,(?=\s*[)\]])")
ALIKE = 0.6
MAX_COMPARED_LINES = 300
MAX_COMPARISONS = 2000
MAX_CANDIDATES = 50


@dataclass(frozen=True)
class ChangedSymbol:
    """A definition that the change adds, removes, gives another signature or touches inside."""

    file: str
    """The path at head; at base for a file that the change deletes."""
    name: str
    qualified: str
    kind: SymbolKind
    fate: Literal["added", "removed", "signature_changed", "touched"]
    head_line: int | None
    base_line: int | None
    signature: str
    """At head; at base for a removed one."""


def symbol_changes(change: Change, repository: Repository) -> list[SymbolChange]:
    """Return what the change does to definitions, file by file; a moved one counts as renamed."""
    found: list[SymbolChange] = []
    texts = _Texts(repository)
    for file in change.reviewed_files():
        if _is_readable(file):
            found += _join_renamed(_in_file(file, repository), texts, is_one_file=True)
    return _join_renamed(found, texts, is_one_file=False)


def changed_symbols(
    change: Change, repository: Repository, endings: tuple[str, ...] = MODULE_ENDS
) -> list[ChangedSymbol]:
    """Return what the change does to the definitions of some files; a renamed one is removed and added."""
    return [
        _changed(file.path, one)
        for file in change.files
        if _is_readable(file) and file.path.endswith(endings)
        for one in _in_file(file, repository)
    ]


def _is_readable(file: FileChange) -> bool:
    is_known = not (file.is_partial or file.is_binary or file.is_submodule)
    return is_known and grammar_of(file.path) is not None


def _changed(path: str, one: SymbolChange) -> ChangedSymbol:
    shown = one.head or one.base
    if shown is None or one.fate == "renamed":
        raise ValueError("a definition within one file is on one side at least and keeps its name")
    return ChangedSymbol(
        file=path,
        name=shown.name,
        qualified=shown.qualified,
        kind=shown.kind,
        fate=one.fate,
        head_line=one.head.line if one.head else None,
        base_line=one.base.line if one.base else None,
        signature=shown.signature,
    )


def _in_file(file: FileChange, repository: Repository) -> list[SymbolChange]:
    """Return what happened to each name of a file: first the names at head, then the removed ones."""
    old, new = file.base_path, file.head_path
    is_same_text = file.old_blob is not None and file.old_blob == file.new_blob
    if old and new and is_same_text and grammar_of(old) == grammar_of(new):
        return []
    before, after = _by_name(repository.base, old), _by_name(repository.head, new)
    touched_base, touched_head = set(file.changed_lines("base")), set(file.changed_lines("head"))
    languages = [LANGUAGES.named(language_of(path)) for path in (old, new) if path]
    has_overloads = any(language.scoping.has_overloads for language in languages)
    there: list[SymbolChange] = []
    removed: list[SymbolChange] = []
    for qualified in dict.fromkeys((*after, *before)):
        named = before.get(qualified, []), after.get(qualified, [])
        for one, other in _pairs(*named, has_overloads=has_overloads):
            if one and other and _is_alike(one, other, touched_base, touched_head):
                continue
            at_base = as_symbol(old or "", one) if one else None
            at_head = as_symbol(new or "", other) if other else None
            if at_head is None:
                removed.append(SymbolChange(fate="removed", base=at_base))
            else:
                there.append(SymbolChange(fate=_fate(at_base, at_head), base=at_base, head=at_head))
    return there + removed


def _by_name(tree: Tree, path: str | None) -> dict[str, list[Definition]]:
    found: dict[str, list[Definition]] = {}
    for one in definitions_of([path], tree).get(path, ()) if path is not None else ():
        found.setdefault(one.qualified, []).append(one)
    return found


def _pairs(
    before: Sequence[Definition], after: Sequence[Definition], *, has_overloads: bool
) -> Iterator[tuple[Definition | None, Definition | None]]:
    """Pair old and new definitions of one name; overloads are paired by signature."""
    if not has_overloads and before and after:
        # Where a name is bound twice, the last one counts.
        yield before[-1], after[-1]
        return
    by_signature: dict[str, list[Definition]] = {}
    for new in reversed(after):
        by_signature.setdefault(_plain(new.signature), []).append(new)
    unmatched = []
    for old in before:
        same = by_signature.get(_plain(old.signature))
        if same:
            yield old, same.pop()
        else:
            unmatched.append(old)
    left = sorted((new for group in by_signature.values() for new in group), key=lambda one: one.line)
    yield from zip_longest(unmatched, left)


def _plain(signature: str) -> str:
    return LAYOUT.sub("", signature)


def _is_alike(old: Definition, new: Definition, touched_base: set[int], touched_head: set[int]) -> bool:
    lines_head, lines_base = range(new.line, new.end_line + 1), range(old.line, old.end_line + 1)
    is_touched = not (touched_head.isdisjoint(lines_head) and touched_base.isdisjoint(lines_base))
    return not is_touched and _plain(old.signature) == _plain(new.signature)


def _fate(old: Symbol | None, new: Symbol) -> SymbolFate:
    if old is None:
        return "added"
    is_same = _plain(old.signature) == _plain(new.signature) or gains_only_annotations(old, new)
    return "touched" if is_same else "signature_changed"


class _Texts:
    """The lines of definitions, with their own names blanked out so that only the rest is compared."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._lines: dict[tuple[str, str], list[str]] = {}
        self._left = MAX_COMPARISONS

    def of(self, symbol: Symbol, side: Literal["base", "head"]) -> list[str]:
        key = (side, symbol.path)
        if key not in self._lines:
            self._lines[key] = self._repository.side(side).lines(symbol.path) or []
        own = re.compile(rf"(?<!\w){re.escape(symbol.name)}(?!\w)")
        end = min(symbol.end_line, symbol.line + MAX_COMPARED_LINES)
        return [own.sub("\0", line.strip()) for line in self._lines[key][symbol.line - 1 : end]]

    def likeness(self, old: Symbol, new: Symbol) -> float:
        """Return how much text two definitions share: 1 if only the name differs."""
        if self._left <= 0:
            return 0.0
        self._left -= 1
        before, after = self.of(old, "base"), self.of(new, "head")
        if before == after:
            return 1.0
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        # A short body is like many others.
        is_long = min(len(before), len(after)) >= 3
        return matcher.ratio() if is_long and matcher.real_quick_ratio() >= ALIKE else 0.0


def _join_renamed(changes: Sequence[SymbolChange], texts: _Texts, *, is_one_file: bool) -> list[SymbolChange]:
    """Join removed and added definitions that are alike; across files they must have the same name."""
    free: dict[tuple[str, str], list[Symbol]] = {}
    for one in changes:
        if one.fate == "added" and one.head:
            place = _outer(one.head) if is_one_file else one.head.qualified
            free.setdefault((one.head.kind, place), []).append(one.head)
    removed = [one.base for one in changes if one.fate == "removed" and one.base]
    renamed: dict[str, str] = {}
    old_of: dict[Symbol, Symbol] = {}
    for old in sorted(removed, key=lambda one: one.qualified.count(".")):
        place = renamed.get(_outer(old), _outer(old)) if is_one_file else old.qualified
        fitting = free.get((old.kind, place), [])
        best = _most_alike(old, fitting[:MAX_CANDIDATES], texts)
        if best is not None:
            fitting.remove(best)
            renamed[old.qualified] = best.qualified
            old_of[best] = old
    gone = set(old_of.values())
    return [
        _renamed(old_of[one.head], one.head) if one.fate == "added" and one.head in old_of else one
        for one in changes
        if one.fate != "removed" or one.base not in gone
    ]


def _outer(symbol: Symbol) -> str:
    return symbol.qualified.rpartition(".")[0]


def _most_alike(old: Symbol, candidates: Sequence[Symbol], texts: _Texts) -> Symbol | None:
    """Return the one that is most alike; None if none is, or several are equally so."""
    rated = sorted(((texts.likeness(old, new), new) for new in candidates), key=lambda pair: -pair[0])
    if not rated or rated[0][0] < ALIKE:
        return None
    is_unique = len(rated) == 1 or rated[1][0] < rated[0][0]
    return rated[0][1] if is_unique else None


def _renamed(old: Symbol, new: Symbol) -> SymbolChange:
    # The files of a folder are one package in Go: what moves between them keeps its name for everybody.
    is_same_package = new.language == "go" and old.path.rpartition("/")[0] == new.path.rpartition("/")[0]
    is_same_name = is_same_package and old.qualified == new.qualified
    return SymbolChange(fate="touched" if is_same_name else "renamed", base=old, head=new)
