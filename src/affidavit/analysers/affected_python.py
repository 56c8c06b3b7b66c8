"""Choose the Python files in which a change can cause a finding of a type checker.

A finding outside of the changed files has a cause: a definition or module that the change adds, removes or
gives another signature (`causes.py`), which the judge compares with what the line calls, imports or asks for
(`ty_judgement.py`). So its file has that name. A constructor may be called by another name: of a subclass, of
a variable. Text decides, not the import graph, as no finding must get lost through an unresolved import.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence

from affidavit.analysers.analyser import Part
from affidavit.analysers.python_modules import PYTHON
from affidavit.analysers.rule import names_in
from affidavit.analysers.ty_judgement import FIXED_FIELDS
from affidavit.languages.python_modules import ENDINGS
from affidavit.languages.registry import LANGUAGES
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.symbols.changed import ChangedSymbol, changed_symbols
from affidavit.symbols.exports import Exports, read_exports

SETTING_FILES = ("pyproject.toml", "ty.toml", "py.typed")
CONSTRUCTORS = ("__init__", "__new__")
STAR_IMPORT = r"\bimport\s*\*"
MAX_CLASSES = 200
WORDS_A_SEARCH = 100
MAX_SHARE = 0.5
"""If more of the files are affected, checking all of them takes hardly longer."""
OTHER_NAMES = (
    r"class\s+(\w+)\s*[(\[][^:]*\b{0}\b",
    r"([A-Z]\w*)\s*(?::[^=\n]*)?=[^=][^\n]*\b{0}\b",
    r"\b{0}\s+as\s+(\w+)",
    r"def\s+(\w+)\s*\([^:]*->[^:\n]*\b{0}\b",
)
"""How a class gets another name: a subclass, a variable, an import, a function that returns it."""


def affected_python(change: Change, repository: Repository) -> Part:
    """Return the changed files and those that name what the change affects, or why all are checked."""
    if why := _why_whole(change, repository):
        return Part(whole=why)
    head = repository.head
    symbols = changed_symbols(change, repository)
    classes = _other_names(_constructed(symbols), head)
    if len(classes) > MAX_CLASSES:
        return Part(whole=f"more than {MAX_CLASSES} classes inherit from what changed")
    names = {one.name for one in symbols if _is_seen_outside(one, head)} | classes
    affected = files_with(names, head) | _reading_everything(change, repository)
    for module, package in _gone_or_hiding(change, repository):
        affected |= _importers(module, package, head)
    files = {path for path in head.entries() if path.endswith(PYTHON)}
    affected &= files
    if len(affected) > len(files) * MAX_SHARE:
        return Part(whole=f"{len(affected)} of its {len(files)} files have names that the change affects")
    return Part(affected | {path for one in change.files for path in (one.path, one.old_path) if path})


def files_with(names: Iterable[str], tree: Tree) -> set[str]:
    """Return the files that have one of these words, other than to define it."""
    found: set[str] = set()
    words = sorted(map(re.escape, names))
    for start in range(0, len(words), WORDS_A_SEARCH):
        some = "|".join(words[start : start + WORDS_A_SEARCH])
        found |= tree.files_with(rf"(?<!def )(?<!class )\b(?:{some})\b")
    return found


def saying_the_same(diagnostics: Sequence[AnalyserDiagnostic], tree: Tree) -> set[str]:
    """Return the files in which these diagnostics may have been reported before the change."""
    names: set[str] = set()
    for one in diagnostics:
        # The last name is that of the function, attribute, module or variable.
        owner, _, name = next(reversed(names_in(one.message)), "").rpartition(".")
        is_constructor = name in CONSTRUCTORS
        names |= _other_names({owner.rpartition(".")[2]}, tree) if is_constructor else {name}
        names |= {"await"} if one.rule == "ty/invalid-await" else set()
    return {path for path in files_with(names - {""}, tree) if path.endswith(PYTHON)}


def _why_whole(change: Change, repository: Repository) -> str:
    """Return why every file may be affected; empty if not."""
    for file in change.files:
        paths = [path for path in (file.path, file.old_path) if path]
        if any(path.rpartition("/")[2] in SETTING_FILES or path.endswith(".pyi") for path in paths):
            return f"{file.path} changed"
        if file.is_partial:
            return "only a part of the repository is known"
        before, after = _exports(file, repository)
        if file.base_path and file.head_path and before.is_open != after.is_open:
            return f"{file.path} does not parse, or makes names at run time"
        if before.has_star != after.has_star:
            return f"{file.path} imports everything of another module"
    return ""


def _exports(file: FileChange, repository: Repository) -> tuple[Exports, Exports]:
    """Return the names that a changed file provides at base and at head."""
    return _provided(repository.base, file.base_path), _provided(repository.head, file.head_path)


def _provided(tree: Tree, path: str | None) -> Exports:
    parsed_as = LANGUAGES.parsed_as(path) if path and path.endswith(PYTHON) else None
    text = tree.read(path) if path and parsed_as else None
    return read_exports(text, parsed_as) if text and parsed_as else Exports()


def _is_seen_outside(symbol: ChangedSymbol, head: Tree) -> bool:
    """Return whether code elsewhere may depend on what the change did to a definition."""
    if symbol.fate != "touched":
        return symbol.name not in CONSTRUCTORS
    # The fields of these classes are the parameters of their constructors.
    text = head.read(symbol.file) if symbol.kind == "class" else None
    return text is not None and FIXED_FIELDS.search(text.decode("utf-8", "replace")) is not None


def _constructed(symbols: Sequence[ChangedSymbol]) -> set[str]:
    """Return the classes whose constructors changed."""
    owners = (
        one.qualified.split(".") for one in symbols if one.fate != "touched" and one.name in CONSTRUCTORS
    )
    return {parts[-2] for parts in owners if len(parts) > 1}


def _other_names(classes: set[str], head: Tree) -> set[str]:
    """Return the names by which classes and what inherits from them may be called."""
    known, waiting = set(classes), set(classes)
    while waiting and len(known) <= MAX_CLASSES:
        pattern = "|".join(OTHER_NAMES).format("(?:" + "|".join(map(re.escape, sorted(waiting))) + ")")
        texts = (head.read(path) or b"" for path in files_with(waiting, head) if path.endswith(PYTHON))
        found = (re.findall(pattern, text.decode("utf-8", "replace")) for text in texts)
        waiting = {name for rows in found for row in rows for name in row if name} - known
        known |= waiting
    return known


def _reading_everything(change: Change, repository: Repository) -> set[str]:
    """Return the files with `import *` that use a name which a changed module no longer has."""
    sides = (_exports(file, repository) for file in change.files)
    lost = {name for before, after in sides for name in before.names - after.names}
    return files_with(lost, repository.head) & repository.head.files_with(STAR_IMPORT) if lost else set()


def _gone_or_hiding(change: Change, repository: Repository) -> Iterator[tuple[str, str]]:
    """Yield the modules that are gone, or new and hide another of their name, each with its package."""
    base, head = repository.base, repository.head
    for file in change.files:
        for path, other in ((file.base_path, head), (file.head_path, base)):
            if path is None or not path.endswith(PYTHON) or other.entry(path) is not None:
                continue
            place = next((path.removesuffix(end) for end in ENDINGS if path.endswith(end)), path)
            folder, _, module = place.rpartition("/")
            is_gone = other is head
            is_hiding = module in sys.stdlib_module_names or any(base.entry(place + end) for end in ENDINGS)
            if is_gone or is_hiding:
                is_package = any(tree.entry(f"{folder}/__init__.py") for tree in (base, head))
                yield module, folder if is_package else ""


def _importers(module: str, package: str, head: Tree) -> set[str]:
    """Return the files that may import a module: they name it and its package, or lie in that."""
    found = files_with({module}, head)
    if package:
        inside = {path for path in found if path.startswith(f"{package}/")}
        found = inside | (found & files_with({package.rpartition("/")[2]}, head))
    within = f"{package}/{module}/" if package else f"{module}/"
    return found | {path for path in head.entries() if path.startswith(within)}
