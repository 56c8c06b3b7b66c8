"""Choose the Python files in which a change can cause a finding of ty.

A finding outside of the changed files has a cause: a definition or module that the change adds, removes or
gives another signature (`causes.py`). Its line calls that, imports it or asks for it by its name
(`ty_judgement.py`), so a file without the name has no finding. A constructor may be called by another name:
of a subclass or a variable. Text decides, not the import graph, which may miss an import that ty resolves.
"""

import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence

from affidavit.analysers.engine.analyser import Part
from affidavit.analysers.engine.rule import names_in
from affidavit.analysers.python_modules import PYTHON
from affidavit.analysers.ty_judgement import FIXED_FIELDS
from affidavit.languages.python_modules import ENDINGS
from affidavit.languages.registry import LANGUAGES
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.symbols.changed import ChangedSymbol, changed_symbols
from affidavit.symbols.exports import Exports, read_exports

SETTING_FILES = ("pyproject.toml", "ty.toml", "py.typed")
CONSTRUCTORS = ("__init__", "__new__")
MAX_CLASSES = 200
WORDS_A_SEARCH = 100
FEW_FILES = 150
"""ty checks so many files sooner than the affected ones are found."""
MAX_FILES = 5_000
MAX_CHANGED, MAX_SHARE = 1 / 3, 0.5
"""If more of the files are changed or affected, checking all of them takes hardly longer."""
OTHER_NAMES = (
    r"\bclass\s+(\w+)\s*[(\[][^:]{{0,300}}\b{0}\b",
    r"\b([A-Z]\w*)\s*(?::[^=\n]{{0,300}})?=[^=][^\n]{{0,300}}\b{0}\b",
    r"\b{0}\s+as\s+(\w+)",
    r"\bdef\s+(\w+)\s*\([^()]{{0,300}}\)\s*->[^:\n]{{0,300}}\b{0}\b",
)
"""How a class gets another name: a subclass, a variable, an import, a function that returns it.

Their lengths are limited, because a hostile text could make them search for hours.
"""


def affected_python(change: Change, repository: Repository, few: int = FEW_FILES) -> Part:
    """Return the changed files and those that name what the change affects, or why all are checked."""
    head = repository.head
    files = {path for path in head.entries() if path.endswith(PYTHON)}
    if len(files) < few:
        return Part(whole=f"it has only {len(files)} files")
    reviewed = {path for one in change.reviewed_files() for path in (one.path, one.old_path) if path}
    if why := _why_by_path(change, reviewed, files):
        return Part(whole=why)
    symbols = changed_symbols(change, repository)
    lists = {one.file for one in symbols if one.name == "__all__"}
    lost: set[str] = set()
    for file in change.files:
        before, after = _provided(repository.base, file.base_path), _provided(head, file.head_path)
        if before.has_star != after.has_star:
            return Part(whole=f"{file.path} imports everything of another module")
        if before.is_open != after.is_open and file.base_path and file.head_path:
            return Part(whole=f"{file.path} does not parse, or makes names at run time")
        is_kept = file.base_path == file.head_path and file.path not in lists
        lost |= before.names - after.names if is_kept else before.names
    classes = _other_names(_constructed(symbols), head)
    if len(classes) > MAX_CLASSES:
        return Part(whole=f"more than {MAX_CLASSES} classes inherit from what changed")
    affected = _files_with({*classes, *_names_outside(symbols, head)}, head) | _reading_all(lost, head)
    for module, package in _gone_or_hiding(change, repository):
        affected |= _importers(module, package, head)
    if len(affected) > min(len(files) * MAX_SHARE, MAX_FILES):
        return Part(whole=f"{len(affected)} of its {len(files)} files have names that the change affects")
    return Part(affected | reviewed)


def saying_the_same(diagnostics: Sequence[AnalyserDiagnostic], tree: Tree) -> set[str]:
    """Return the files in which ty may have said the same as these diagnostics."""
    names: set[str] = set()
    for one in diagnostics:
        # The last name is that of the function, attribute, module or variable.
        owner, _, name = next(reversed(names_in(one.message)), "").rpartition(".")
        is_constructor = name in CONSTRUCTORS
        names |= _other_names({owner.rpartition(".")[2]}, tree) if is_constructor else {name}
        names |= {"await"} if one.rule == "ty/invalid-await" else set()
    return _files_with(names - {""}, tree)


def _files_with(names: Collection[str], tree: Tree) -> set[str]:
    """Return the files with one of these names, other than to define it; `.name` is one of a member."""
    found: set[str] = set()
    words = sorted(map(re.escape, names))
    for start in range(0, len(words), WORDS_A_SEARCH):
        some = words[start : start + WORDS_A_SEARCH]
        members = "|".join(one for one in some if one.startswith(r"\."))
        others = "|".join(one for one in some if not one.startswith(r"\."))
        parts = [rf"(?:{members})\b"] * bool(members) + [rf"(?<!def )(?<!class )\b(?:{others})\b"] * bool(
            others
        )
        found |= tree.files_with("|".join(parts), PYTHON)
    return found


def _why_by_path(change: Change, reviewed: set[str], files: set[str]) -> str:
    """Return why to check every file, by the files that changed; empty if not."""
    if len(reviewed & files) > len(files) * MAX_CHANGED:
        return f"{len(reviewed & files)} of its {len(files)} files changed"
    for file in change.files:
        paths = [path for path in (file.path, file.old_path) if path]
        if any(path.rpartition("/")[2] in SETTING_FILES or path.endswith(".pyi") for path in paths):
            return f"{file.path} changed"
        if file.is_partial:
            return "only a part of the repository is known"
    return ""


def _provided(tree: Tree, path: str | None) -> Exports:
    parsed_as = LANGUAGES.parsed_as(path) if path and path.endswith(PYTHON) else None
    text = tree.read(path) if path and parsed_as else None
    return read_exports(text, parsed_as) if text and parsed_as else Exports()


def _names_outside(symbols: Iterable[ChangedSymbol], head: Tree) -> Iterator[str]:
    """Yield the names of definitions whose change other code may notice; those of members with a dot."""
    for one in symbols:
        is_noticed = one.fate != "touched"
        if not is_noticed and one.kind == "class":
            # The fields of some classes are the parameters of their constructors.
            text = (head.read(one.file) or b"").decode("utf-8", "replace")
            is_noticed = FIXED_FIELDS.search(text) is not None
        if is_noticed and one.name not in CONSTRUCTORS:
            yield f".{one.name}" if "." in one.qualified else one.name


def _constructed(symbols: Iterable[ChangedSymbol]) -> set[str]:
    """Return the classes whose constructors changed."""
    changed = (one for one in symbols if one.fate != "touched" and one.name in CONSTRUCTORS)
    return {one.qualified.split(".")[-2] for one in changed if "." in one.qualified}


def _other_names(classes: set[str], tree: Tree) -> set[str]:
    """Return the names by which classes and what inherits from them may be called."""
    known, waiting = set(classes), set(classes)
    while waiting and len(known) <= MAX_CLASSES:
        any_of = "(?:" + "|".join(map(re.escape, sorted(waiting))) + ")"
        pattern = re.compile("|".join(OTHER_NAMES).format(any_of))
        texts = ((tree.read(path) or b"").decode("utf-8", "replace") for path in _files_with(waiting, tree))
        waiting = {name for text in texts for row in pattern.findall(text) for name in row if name} - known
        known |= waiting
    return known


def _reading_all(lost: set[str], head: Tree) -> set[str]:
    """Return the files that import everything from a module and use a name that a changed one lost."""
    return _files_with(lost, head) & head.files_with(r"\bimport\s*\*", PYTHON) if lost else set()


def _gone_or_hiding(change: Change, repository: Repository) -> Iterator[tuple[str, str]]:
    """Yield the modules that are gone, or new and hide another of their name; each with its package."""
    base, head = repository.base, repository.head
    for file in change.files:
        for path, other in ((file.base_path, head), (file.head_path, base)):
            if path is None or not path.endswith(PYTHON) or other.entry(path) is not None:
                continue
            place = next((path.removesuffix(end) for end in ENDINGS if path.endswith(end)), path)
            folder, _, module = place.rpartition("/")
            is_hiding = module in sys.stdlib_module_names or any(base.entry(place + end) for end in ENDINGS)
            if other is head or is_hiding:
                is_package = any(tree.entry(f"{folder}/__init__.py") for tree in (base, head))
                yield module, folder if is_package else ""


def _importers(module: str, package: str, head: Tree) -> set[str]:
    """Return the files that may import a module: they name it and its package, or lie in one of them."""
    found = _files_with({module}, head)
    if package:
        inside = {path for path in found if path.startswith(f"{package}/")}
        found = inside | (found & _files_with({package.rpartition("/")[2]}, head))
    within = f"{package}/{module}/" if package else f"{module}/"
    return found | {path for path in head.entries() if path.startswith(within) and path.endswith(PYTHON)}
