"""What one file says about imports, before anybody asks which files are meant; it is what the cache keeps."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from affidavit.languages.engine.tree_files import TreeFiles


class Statement(NamedTuple):
    """One import as written. `form` is the language's own word for what kind of import it is."""

    line: int
    name: str
    names: tuple[str, ...] = ()
    is_conditional: bool = False
    form: str = ""


class Extract(NamedTuple):
    """The imports of a file, and the names under which others can import it."""

    statements: tuple[Statement, ...] = ()
    declares: tuple[str, ...] = ()


class Meant(NamedTuple):
    """The files that an import means, and what it takes out of them. No targets: unresolvable."""

    targets: tuple[str, ...]
    names: tuple[str, ...]


Resolve = Callable[[str, Statement], Iterable[Meant]]


@dataclass(frozen=True)
class ImportLanguage:
    """How a language imports: the files it is written in, what they say, and what that means."""

    name: str
    grammars: Mapping[str, str]
    """The grammar by the ending of the file."""
    version: int
    """Raised whenever `extract` comes to another result, so that the cache forgets the old one."""
    extract: Callable[[str, bytes], Extract | None]
    """Grammar and content; None where the file is too much to parse."""
    resolver: Callable[[TreeFiles, Mapping[str, Extract]], Resolve]
