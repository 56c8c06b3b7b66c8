"""Define the map of a change: what it touches, what depends on it, what it needs, who wrote the lines."""

from typing import Literal

from affidavit.records.change import Commit
from affidavit.records.record import Record, Side

SymbolKind = Literal["function", "class", "method", "constant", "interface", "type", "module"]
SymbolFate = Literal["added", "removed", "renamed", "signature_changed", "touched"]
Certainty = Literal["certain", "likely", "possible"]


class Symbol(Record):
    """One definition. `qualified` is its dotted name within its file, `signature` its folded header."""

    path: str
    name: str
    qualified: str
    kind: SymbolKind
    line: int
    end_line: int
    signature: str = ""
    language: str = ""


class SymbolChange(Record):
    """The change of one definition; a renamed one has both sides."""

    fate: SymbolFate
    base: Symbol | None = None
    head: Symbol | None = None


class Import(Record):
    """One import statement. `target` is the file of the repository that it refers to, None if unresolved."""

    path: str
    line: int
    name: str
    target: str | None = None
    names: tuple[str, ...] = ()


class Reference(Record):
    """A place that uses a changed symbol, how it was found and how sure that is."""

    symbol: str
    path: str
    line: int
    text: str
    kind: Literal["call", "import", "name", "text"]
    side: Side = "head"
    within: str = ""
    definition: str = ""
    """The file of the definition that the place resolved to; empty if none is known."""
    verification_method: str
    certainty: Certainty


RelationKind = Literal[
    "calls",
    "uses",
    "imports",
    "imported_by",
    "extended_by",
    "tests",
    "documents",
    "implements",
    "changes_with",
    "shares_text",
    "called_by",
]


class Relation(Record):
    kind: RelationKind
    detail: str
    lines: tuple[int, ...] = ()


class RelatedFile(Record):
    path: str
    score: float
    reasons: tuple[Relation, ...]
    symbols: tuple[str, ...] = ()
    tokens: int = 0


class BlameOrigin(Record):
    """The commit that wrote lines which the change replaces."""

    path: str
    first_line: int
    last_line: int
    author: str
    date: str
    commit: str
    summary: str


class ContextMap(Record):
    """The map of a change, made before the review."""

    symbols: tuple[SymbolChange, ...] = ()
    imports: tuple[Import, ...] = ()
    importers: tuple[Import, ...] = ()
    references: tuple[Reference, ...] = ()
    callees: tuple[Symbol, ...] = ()
    overridden: tuple[Symbol, ...] = ()
    related_files: tuple[RelatedFile, ...] = ()
    tests: tuple[str, ...] = ()
    commits: tuple[Commit, ...] = ()
    origins: tuple[BlameOrigin, ...] = ()
    left_out: tuple[str, ...] = ()
