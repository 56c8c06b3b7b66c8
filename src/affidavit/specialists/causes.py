"""Which part of the change a diagnostic in an untouched file goes back to."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from affidavit.analysers.analyser import Inspection
from affidavit.analysers.python.first_party import absolute_module
from affidavit.analysers.rule import names_in
from affidavit.languages.python.modules import module_name
from affidavit.records.change import Change, FileChange, FileStatus
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.finding import Cause
from affidavit.symbols.changed import ChangedSymbol

WORD = re.compile(r"[^\W\d]\w*")
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
    """The changed definition or module that the diagnostic depends on; None where none is named.

    By any word of its lines, not only by what it names itself, where nothing hangs on a false one.
    """
    names = names_in(diagnostic.message)
    gone = _module_cause(names, diagnostic.path, inspection.change)
    if gone is not None:
        return gone
    symbols = inspection.symbols
    member = [".".join(name.rpartition(".")[2] for name in names[:2])]
    symbol = (
        _defined_at(diagnostic, symbols)
        or _named(member, symbols)
        or _named(names, symbols)
        or (_named(_words_at(diagnostic, lines), symbols) if by_any_word else None)
    )
    return None if symbol is None else _symbol_cause(symbol)


def exact_cause(diagnostic: AnalyserDiagnostic, inspection: Inspection) -> NamedCause | None:
    """The changed definition that the diagnostic names in full; a part of a name is not enough."""
    names = names_in(diagnostic.message)
    member = ".".join(name.rpartition(".")[2] for name in names[:2])
    symbol = _defined_at(diagnostic, inspection.symbols) or _exactly_named(
        [member, *names], inspection.symbols
    )
    return None if symbol is None or symbol.fate == "touched" else _symbol_cause(symbol)


def _defined_at(diagnostic: AnalyserDiagnostic, symbols: Iterable[ChangedSymbol]) -> ChangedSymbol | None:
    places = {(place.path, place.line) for place in diagnostic.related}
    return next((symbol for symbol in symbols if (symbol.file, symbol.head_line) in places), None)


def _named(names: Sequence[str], symbols: Sequence[ChangedSymbol]) -> ChangedSymbol | None:
    """The changed symbol that one of the names means: the whole dotted name before its last part."""
    last = {name.rpartition(".")[2] for name in names}
    loose = (symbol for symbol in _gravest_first(symbols) if symbol.name in last)
    return _exactly_named(names, symbols) or next(loose, None)


def _exactly_named(names: Sequence[str], symbols: Sequence[ChangedSymbol]) -> ChangedSymbol | None:
    whole, ordered = set(names), _gravest_first(symbols)
    exact = (symbol for symbol in ordered if symbol.qualified in whole)
    # A call of a class reaches its constructor.
    made = (symbol for symbol in ordered if symbol.qualified.removesuffix(".__init__") in whole)
    return next(exact, None) or next(made, None)


def _gravest_first(symbols: Sequence[ChangedSymbol]) -> list[ChangedSymbol]:
    return sorted(symbols, key=lambda symbol: FATE_ORDER.index(symbol.fate))


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


def _module_cause(names: Sequence[str], path: str, change: Change) -> NamedCause | None:
    """The module that the change took away, where the names mean it."""
    if not names:
        return None
    wanted = {absolute_module(names[0], path), ".".join(names[:2])}
    for file in change.files:
        if file.status not in (FileStatus.DELETED, FileStatus.RENAMED) or file.base_path is None:
            continue
        module = module_name(file.base_path)
        if any(module == name or module.endswith(f".{name}") for name in wanted):
            # A moved file has another name at head; it is the file that is the cause.
            symbol = "" if file.status is FileStatus.RENAMED else module.rpartition(".")[2]
            return NamedCause(Cause(file=file.path, symbol=symbol), _fate_of(file))
    return None


def _fate_of(file: FileChange) -> str:
    if file.status is FileStatus.RENAMED:
        return f"The change moved {file.base_path} to {file.path}."
    return f"The change deleted {file.base_path}."
