"""Describe a language: its files, imports, tests and scoping."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from tree_sitter import Node

from affidavit.languages.grammars import Grammar, parse, parse_head
from affidavit.languages.tree_files import TreeFiles

_WRITTEN = (
    "CMake", "CSS", "GraphQL", "JavaScript", "OCaml", "Objective-C", "PHP", "PowerShell", "SCSS", "SQL",
    "TeX", "TypeScript",
)  # fmt: skip
WRITTEN = {name.lower(): name for name in _WRITTEN}
"""Names of languages that `str.capitalize` would misspell."""


class Statement(NamedTuple):
    """One import as written. `form` is a kind of import of that language."""

    line: int
    name: str
    names: tuple[str, ...] = ()
    form: str = ""


class Extract(NamedTuple):
    """The imports of a file, and the names under which others can import it."""

    statements: tuple[Statement, ...] = ()
    declares: tuple[str, ...] = ()


class Resolved(NamedTuple):
    """The files that an import refers to, and the names it imports. Unresolved without targets."""

    targets: tuple[str, ...]
    names: tuple[str, ...]


def resolved_file(file: str | None, names: tuple[str, ...] = ()) -> tuple[Resolved]:
    """Return an import resolved to one file, or to none."""
    return (Resolved((file,) if file else (), names),)


class Resolver(Protocol):
    """Resolves the imports of one tree."""

    def resolve(self, path: str, statement: Statement, /) -> Iterable[Resolved]:
        """Resolve a statement of a file."""


@dataclass(frozen=True)
class ImportRules:
    """How the files of a language import each other."""

    extract: Callable[[Grammar, Node, bytes], Extract]
    """Return the imports in the syntax tree of a text."""
    resolver: Callable[[TreeFiles, Mapping[str, Extract]], Resolver]
    keyword: re.Pattern[bytes] | None = None
    """A text is parsed only up to its last match; without one it has no imports."""
    read_lines: Callable[[bytes], list[Statement] | None] = lambda _text: None
    """Return the imports of a text without parsing it; None if they are unclear."""
    version: int = 1
    """Raise it when `extract` returns something else, so that the cache forgets old results."""

    def read(self, grammar: Grammar, text: bytes) -> Extract | None:
        """Return the imports of a text; None if it is too large to parse."""
        if (statements := self.read_lines(text)) is not None:
            return Extract(tuple(statements))
        if self.keyword is None:
            root, parsed = parse(grammar, text), text
        elif self.keyword.search(text):
            root, parsed = parse_head(grammar, text, self.keyword)
        else:
            return Extract()
        return None if root is None else self.extract(grammar, root, parsed)


@dataclass(frozen=True)
class SignsOfTests:
    """How files with tests differ from their helpers."""

    words: re.Pattern[bytes]
    """Only a text with tests matches."""
    are_named: bool = False
    """Whether tests have file names of their own; then a folder called `test` proves nothing."""


@dataclass(frozen=True)
class Scoping:
    """Where names of a language are visible, as far as that is known without types."""

    has_overloads: bool = False
    """Several definitions may share one name."""
    members_need_object: bool = False
    """A member is never used without its object, except in the body of its own class."""
    folder_is_package: bool = False
    """Files of a folder see each other without an import."""
    folder_has_classes: bool = False
    """Classes are visible in their folder without an import, and files have their names."""
    is_open: bool = False
    """Names may be visible without an import of their file: nested includes, autoloading, namespaces."""
    users_import: bool = True
    """Files import what they use; other languages load by name or include a header."""


@dataclass(frozen=True, eq=False)
class Language:
    """One language. State what it lacks, too, with None or an empty tuple."""

    name: str
    """In lower case, as reports have it."""
    endings: tuple[str, ...]
    """The endings of its files, without the dot."""
    grammars: tuple[Grammar, ...]
    imports: ImportRules | None
    """The same for all languages of a family."""
    tests: SignsOfTests | None
    file_names: tuple[str, ...] = ()
    """Whole names of files, in lower case."""
    file_name_starts: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    """Programs in a first line such as `#!/usr/bin/env python3`, without their version."""
    dialect_of: str = ""
    """A language whose files it imports, uses and tests, and the other way round."""
    folder_stems: tuple[str, ...] = ()
    """Stems of files that represent their folder, such as `__init__` and `index`."""
    is_code: bool = True
    """Whether files are programs."""
    is_document: bool = False
    """Whether files are prose, in which names count only if they are written as code."""
    is_typed: bool = False
    """A compiler checks types before the code runs."""
    quotes: str = "\"'"
    """The quotation marks of strings; none if strings need none, as in configuration."""
    scoping: Scoping = Scoping()

    @property
    def family(self) -> str:
        """Return the name that a language shares with its dialects."""
        return self.dialect_of or self.name

    @property
    def title(self) -> str:
        return WRITTEN.get(self.name, self.name.capitalize())
