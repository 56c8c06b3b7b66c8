"""Find the part of the change that causes a diagnostic in an untouched file."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from affidavit.analysers.engine.analyser import Inspection
from affidavit.analysers.engine.rule import names_in
from affidavit.analysers.python_modules import absolute_module
from affidavit.languages.python_modules import MODULE_ENDS, module_name
from affidavit.records.change import Change, FileChange, FileStatus
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Cause
from affidavit.symbols.changed import ChangedSymbol

WORD = re.compile(r"[^\W\d]\w*")
MOVING = (FileStatus.DELETED, FileStatus.RENAMED, FileStatus.ADDED)
FATE_ORDER = ("signature_changed", "removed", "added", "touched")
FATE_WORDS = {"signature_changed": "altered", "removed": "removed", "added": "added", "touched": "altered"}


@dataclass(frozen=True)
class NamedCause:
    """A cause, and the sentence that explains it to the reader."""

    cause: Cause
    sentence: str


def find_cause(
    diagnostic: AnalyserDiagnostic, lines: Sequence[str], inspection: Inspection, *, by_any_word: bool = True
) -> NamedCause | None:
    """Return the changed definition or module that the diagnostic depends on; None if none is named.

    With `by_any_word`, any word of its lines may name the definition.
    """
    names = names_in(diagnostic.message)
    gone = _module_cause(names, diagnostic.path, inspection.moved)
    if gone is not None:
        return gone
    symbols = _Symbols(inspection.by_name, diagnostic.path, inspection)
    symbol = (
        inspection.by_name.defined_at(diagnostic)
        or symbols.exactly(_member_and(names))
        or symbols.by_last_part(_member_and(names))
    )
    if symbol is None and by_any_word:
        words = _words_at(diagnostic, lines)
        symbol = symbols.exactly(words) or symbols.by_last_part(words)
    return None if symbol is None else _symbol_cause(symbol)


def exact_cause(
    diagnostic: AnalyserDiagnostic, inspection: Inspection, *, elsewhere: bool
) -> NamedCause | None:
    """Return the removed or re-signed definition that the diagnostic names in full.

    It is in the same file, or, with `elsewhere`, in a file that this one imports.
    """
    names = _member_and(names_in(diagnostic.message))
    gone = inspection.gone_by_name
    known = _Symbols(gone, diagnostic.path, inspection)
    symbol = gone.defined_at(diagnostic) or known.exactly(names)
    # ty calls the type of `self` after the method, such as `Self@pay`.
    own = gone.by_last_part(names[-1:]) if "`Self@" in diagnostic.message else []
    symbol = own[0] if symbol is None and len(own) == 1 else symbol
    if symbol is None or not (symbol.file == diagnostic.path or (elsewhere and known.is_imported(symbol))):
        return None
    return _symbol_cause(symbol)


def _member_and(names: Sequence[str]) -> list[str]:
    """Return the names of a message, and the first two as one: `total` and `Cart` are `Cart.total`."""
    return [".".join(name.rpartition(".")[2] for name in names[:2]), *names]


class SymbolIndex:
    """Changed definitions by their names and places, those first that are worse to miss."""

    def __init__(self, symbols: Iterable[ChangedSymbol]) -> None:
        self._ordered = sorted(symbols, key=lambda symbol: FATE_ORDER.index(symbol.fate))
        self._qualified: dict[str, list[int]] = {}
        self._made: dict[str, list[int]] = {}
        self._last: dict[str, list[int]] = {}
        self._places: dict[tuple[str, int | None], ChangedSymbol] = {}
        for number, one in enumerate(self._ordered):
            self._qualified.setdefault(one.qualified, []).append(number)
            self._made.setdefault(one.qualified.removesuffix(".__init__"), []).append(number)
            self._last.setdefault(one.name, []).append(number)
            self._places.setdefault((one.file, one.head_line), one)

    def exactly(self, names: Iterable[str]) -> list[ChangedSymbol]:
        return self._among(self._qualified, names)

    def made(self, names: Iterable[str]) -> list[ChangedSymbol]:
        """Return the definitions with exactly these names, and the constructors of such classes."""
        return self._among(self._made, names)

    def by_last_part(self, names: Iterable[str]) -> list[ChangedSymbol]:
        return self._among(self._last, (name.rpartition(".")[2] for name in names))

    def defined_at(self, diagnostic: AnalyserDiagnostic) -> ChangedSymbol | None:
        """Return the definition that the diagnostic points to."""
        found = (self._places.get((place.path, place.line)) for place in diagnostic.related)
        return next(filter(None, found), None)

    def _among(self, known: Mapping[str, list[int]], names: Iterable[str]) -> list[ChangedSymbol]:
        return [self._ordered[at] for at in sorted({at for name in names for at in known.get(name, ())})]


class _Symbols:
    """Changed definitions as one file sees them: its own and imported ones come first."""

    def __init__(self, symbols: SymbolIndex, path: str, inspection: Inspection) -> None:
        self._path, self._inspection, self._symbols = path, inspection, symbols

    def exactly(self, names: Sequence[str]) -> ChangedSymbol | None:
        """Return the definition with exactly this name; a class stands for its constructor."""
        return self._nearest(self._symbols.exactly(names)) or self._nearest(self._symbols.made(names))

    def by_last_part(self, names: Iterable[str]) -> ChangedSymbol | None:
        """Return the definition with the last part of a name."""
        return self._nearest(self._symbols.by_last_part(names))

    def is_imported(self, symbol: ChangedSymbol) -> bool:
        """Return whether the file imports the module that defines it, or something from it."""
        return symbol.file in self._imported

    @cached_property
    def _imported(self) -> set[str | None]:
        return {one.target for one in self._inspection.imports.imports_of(self._path)}

    def _nearest(self, same: Sequence[ChangedSymbol]) -> ChangedSymbol | None:
        if len({one.file for one in same}) < 2:
            return same[0] if same else None
        return min(same, key=lambda one: (one.file != self._path, not self.is_imported(one)))


def _words_at(diagnostic: AnalyserDiagnostic, lines: Sequence[str]) -> list[str]:
    end = diagnostic.end_line or diagnostic.line
    return [word for line in lines[diagnostic.line - 1 : end] for word in WORD.findall(line)]


def _symbol_cause(symbol: ChangedSymbol) -> NamedCause:
    line = symbol.head_line or symbol.base_line
    side = "" if symbol.head_line else " at base"
    return NamedCause(
        Cause(file=symbol.file, symbol=symbol.qualified),
        f"The change {FATE_WORDS[symbol.fate]} `{symbol.signature.rstrip(':')}`"
        f" ({symbol.file}:{line}{side}).",
    )


def moved_modules(change: Change) -> dict[str, tuple[int, FileChange, str]]:
    """Map each name of a moved, deleted or added module to its file; the number orders them."""
    found: dict[str, tuple[int, FileChange, str]] = {}
    # An added module is the cause only if none was removed: it hides another of its name.
    for number, file in enumerate(sorted(change.files, key=lambda file: file.status is FileStatus.ADDED)):
        known = file.path if file.status is FileStatus.ADDED else file.base_path
        if file.status not in MOVING or known is None or not known.endswith(MODULE_ENDS):
            continue
        name = module = module_name(known)
        while name:
            found.setdefault(name, (number, file, module))
            name = name.partition(".")[2]
    return found


def _module_cause(
    names: Sequence[str], path: str, moved: Mapping[str, tuple[int, FileChange, str]]
) -> NamedCause | None:
    """Return the moved, deleted or added module that the names mean."""
    if not names:
        return None
    wanted = {absolute_module(names[0], path), ".".join(names[:2])}
    meant = [moved[name] for name in wanted if name in moved]
    if not meant:
        return None
    _, file, module = min(meant, key=lambda one: one[0])
    # A moved or added file is itself the cause, whether or not its text has its name.
    symbol = module.rpartition(".")[2] if file.status is FileStatus.DELETED else ""
    return NamedCause(Cause(file=file.path, symbol=symbol), _fate_of(file))


def _fate_of(file: FileChange) -> str:
    if file.status is FileStatus.ADDED:
        return f"The change added {file.path}, which is imported by that name now."
    if file.status is FileStatus.RENAMED:
        return f"The change moved {file.base_path} to {file.path}."
    return f"The change deleted {file.base_path}."
