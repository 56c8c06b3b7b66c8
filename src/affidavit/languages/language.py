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
"""Names of languages that do not begin with their only capital letter."""


class Statement(NamedTuple):
    """One import as written. `form` is the language's own word for what kind of import it is."""

    line: int
    name: str
    names: tuple[str, ...] = ()
    form: str = ""


class Extract(NamedTuple):
    """The imports of a file, and the names under which others can import it."""

    statements: tuple[Statement, ...] = ()
    declares: tuple[str, ...] = ()


class Meant(NamedTuple):
    """The files that an import means, and what it takes out of them. No targets: unresolvable."""

    targets: tuple[str, ...]
    names: tuple[str, ...]


def meant_file(file: str | None, names: tuple[str, ...] = ()) -> tuple[Meant]:
    """Return what an import means that leads to one file, or to none."""
    return (Meant((file,) if file else (), names),)


class Resolver(Protocol):
    """Finds the files of one tree that imports mean."""

    def meant(self, path: str, statement: Statement, /) -> Iterable[Meant]:
        """Resolve a statement of a file."""


@dataclass(frozen=True)
class ImportRules:
    """How the files of a language import each other."""

    extract: Callable[[Grammar, Node, bytes], Extract]
    """Return the imports in the syntax tree of a text."""
    resolver: Callable[[TreeFiles, Mapping[str, Extract]], Resolver]
    keyword: re.Pattern[bytes] | None = None
    """What every import contains: a text is parsed only up to the last one."""
    read_lines: Callable[[bytes], list[Statement] | None] = lambda _text: None
    """Return the imports of a text without parsing it; None if they are unclear."""
    version: int = 1
    """To be raised when `extract` returns something else, so that the cache forgets old results."""

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
    """How tests are distinguished from what only serves them."""

    words: re.Pattern[bytes]
    """What only a text with tests in it has."""
    are_named: bool = False
    """Tests say what they are in the names of their files, so that a folder called `test` proves nothing."""


@dataclass(frozen=True)
class Scoping:
    """How far names are known in a language, where nothing is known of types."""

    has_overloads: bool = False
    """Several definitions of one name stand side by side."""
    members_need_object: bool = False
    """A member is never used without its object, except in the body of its own class."""
    folder_is_package: bool = False
    """Files of one folder see one another without an import."""
    folder_has_classes: bool = False
    """A class is known in its folder without an import, and its file has its name."""
    is_open: bool = False
    """A name may be known without an import of its file: includes of includes, autoloading, namespaces."""
    users_import: bool = True
    """Users of a file import it. Other languages load by name or include a header."""


@dataclass(frozen=True, eq=False)
class Language:
    """One language. Say also what it lacks: None, or an empty tuple."""

    name: str
    """In lower case, as reports have it."""
    endings: tuple[str, ...]
    """What follows the last dot of its files' names."""
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
    """Another language: their files import, use and test one another."""
    folder_stems: tuple[str, ...] = ()
    """Names of files, without their ending, that stand for their folder and say nothing of what is inside."""
    is_code: bool = True
    """A file holds a program; what holds none cannot test anything."""
    is_document: bool = False
    """A file holds prose, in which names are mere words unless they are written as code."""
    is_typed: bool = False
    """A compiler checks types before the code runs."""
    quotes: str = "\"'"
    """The signs around texts; none where names stand without, as in configuration."""
    scoping: Scoping = Scoping()

    @property
    def family(self) -> str:
        """Return the name that a language shares with its dialects."""
        return self.dialect_of or self.name

    @property
    def title(self) -> str:
        return WRITTEN.get(self.name, self.name.capitalize())
