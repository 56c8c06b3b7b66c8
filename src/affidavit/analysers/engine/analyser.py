"""Describe an analyser: its name, what it reads, how it is run and how its output is parsed."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from affidavit.analysers.engine.rule import Rule
from affidavit.analysers.registry import Listed
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange
from affidavit.records.evidence import AnalyserDiagnostic, WhyUnread

if TYPE_CHECKING:
    from affidavit.analysers.engine.causes import SymbolIndex
    from affidavit.symbols.changed import ChangedSymbol
    from affidavit.symbols.import_graph import ImportGraph


@dataclass(frozen=True)
class Disclaimer:
    """An excuse in the text of a file for a diagnostic: a template, a dialect."""

    reason: str
    said_before: Callable[[bytes], bool]
    """Return whether the content of the file at base gives the same excuse."""
    is_open: bool = False
    """The excuse is in code, or the analyser cannot read the file: nothing is proven even without it."""


Excuse = str | Disclaimer
"""Why a diagnostic is not a finding: a plain reason, or an excuse that its file gives."""


Faults = dict[str, tuple[WhyUnread, str]]
"""Files that were not read, with the reason and the message of the tool."""


@dataclass(frozen=True)
class Printed:
    """The output of a run: its result, its log, and its list of files if one was requested."""

    output: str
    errors: str
    exit_code: int
    listing: str = ""


@dataclass(frozen=True)
class Reading:
    """The files that were read and those that were not, with paths as printed.

    `read` is None if every file was named in the command and the run fails if it cannot open one.
    """

    read: frozenset[str] | None = None
    unread: Faults = field(default_factory=dict)
    others: tuple[WhyUnread, str] | None = None
    """Why any other file was not read, if the tool has only one reason."""
    is_log: bool = False
    """The list of files is part of a log that may repeat text of files."""


ReadFiles = Callable[[Printed], Reading]
"""Raises ValueError if the output says that some file was not read, but not which."""


def read_every_named_file(_printed: Printed) -> Reading:
    """Trust a tool that gets its files by name and fails if it cannot open one."""
    return Reading()


def read_nothing_for_certain(_printed: Printed) -> Reading:
    """Trust no file to a tool that finds its files itself and does not list them."""
    return Reading(read=frozenset(), others=("unknown", "it does not say which files it read"))


def lines_after(mark: str, text: str, end: str = "") -> frozenset[str]:
    """Return the rest of each line that has the mark."""
    rest = (line.rstrip("\r").partition(mark)[2] for line in text.split("\n") if mark in line)
    return frozenset(one.removesuffix(end) for one in rest)


@dataclass(frozen=True)
class Canary:
    """A line that is added to the end of each file, which the analyser must report if it read the file.

    Files with a canary are written under numbers, so that no name makes the analyser skip one. The line above
    the canary has the real name.
    """

    rule: str
    line: bytes

    def added_to(self, content: bytes, path: str) -> bytes:
        """Return the content with its name and the canary below it."""
        return b"\n".join((content, as_line(path), self.line, b""))

    def line_in(self, content: bytes) -> int:
        """Return the number of the canary's line."""
        return self.name_in(content) + 1

    def name_in(self, content: bytes) -> int:
        """Return the number of the line with the name."""
        return content.count(b"\n") + 2


def as_line(path: str) -> bytes:
    """Return a path as one line of text."""
    return path.replace("\n", " ").encode("utf-8", "replace")


@dataclass(frozen=True)
class Part:
    """The files that a project analyser checks, or why it checks all."""

    paths: Collection[str] = ()
    whole: str = ""


EVERYTHING = "."
"""The argument to check all files, which stands last. It is replaced by the files of a part."""
CHECKOUT = "{checkout}"
"""In an argument: the absolute path of the checkout."""


@dataclass(frozen=True)
class Invocation:
    """How an analyser is run on one side: arguments, and files written beside the code.

    Arguments and names are relative to the checkout, so that they are the same on every machine.
    `files` are written into the checkout (configuration, made from the base commit's), `outside` next to it.
    """

    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    outside: Mapping[str, bytes] = field(default_factory=dict)
    listing: tuple[str, ...] = ()
    """The arguments to list the files that the tool would read; empty if the run itself lists them."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Additional environment variables."""
    has_exclusions: bool = False
    """The base commit's configuration excludes files."""


@dataclass(frozen=True)
class Inspection:
    """The data that an analyser may use to judge a new diagnostic."""

    change: Change
    base: Tree
    head: Tree
    symbols: "Sequence[ChangedSymbol]"
    base_diagnostics: Sequence[AnalyserDiagnostic]
    unresolved: frozenset[str] = frozenset()
    """The files of head that the analyser could not check completely, because their imports are missing."""
    unresolved_before: frozenset[str] = frozenset()
    """The same for base."""
    confirmed: Collection[tuple[str, str, int, int | None]] = ()
    """Rule, path, line and column of the doubtful diagnostics that every other invocation reports too."""
    rules: Mapping[str, Rule] = field(default_factory=dict)

    @cached_property
    def imports(self) -> "ImportGraph":
        """Return the import graph of head."""
        from affidavit.symbols.import_graph import import_graph  # noqa: PLC0415 - few findings need it

        return import_graph(self.head)

    @cached_property
    def by_name(self) -> "SymbolIndex":
        """Return what the change does to definitions, by name."""
        from affidavit.analysers.engine.causes import SymbolIndex  # noqa: PLC0415 - few findings need it

        return SymbolIndex(self.symbols)

    @cached_property
    def gone_by_name(self) -> "SymbolIndex":
        """Return the removed definitions and those with another signature, by name."""
        from affidavit.analysers.engine.causes import SymbolIndex  # noqa: PLC0415 - few findings need it

        return SymbolIndex(one for one in self.symbols if one.fate in ("removed", "signature_changed"))

    @cached_property
    def moved(self) -> "Mapping[str, tuple[int, FileChange, str]]":
        """Return the moved, deleted and added modules, by name."""
        from affidavit.analysers.engine.causes import moved_modules  # noqa: PLC0415 - few findings need it

        return moved_modules(self.change)

    @cached_property
    def as_at_base(self) -> "Inspection":
        """Return the same with all files as base had them, without those that the change deletes."""
        return replace(self, head=self.base.without(self.base.entries().keys() - self.head.entries().keys()))

    def is_changed(self, diagnostic: AnalyserDiagnostic) -> bool:
        """Return whether the change touches a line of a diagnostic."""
        file = self.change.file_at(diagnostic.path)
        lines = range(diagnostic.line, (diagnostic.end_line or diagnostic.line) + 1)
        return file is not None and not set(file.changed_lines("head")).isdisjoint(lines)

    def may_be_old(self, diagnostic: AnalyserDiagnostic) -> bool:
        """Return whether base could have the diagnostic, too: its file was not checked completely."""
        is_unresolved = self.change.path_before(diagnostic.path) in self.unresolved_before
        return is_unresolved and not self.is_changed(diagnostic)

    @property
    def knows_whole_tree(self) -> bool:
        """Return whether every file of the repository is known, so that absence means something."""
        return not any(file.is_partial for file in self.change.files)


Judge = Callable[[AnalyserDiagnostic, Inspection], Excuse | None]
"""Returns why a new diagnostic is not a finding; None if it is one."""

Identify = Callable[[AnalyserDiagnostic, Tree], Hashable]


def count_everything(_diagnostic: AnalyserDiagnostic, _inspection: Inspection) -> Excuse | None:
    """Count every new diagnostic."""
    return None


@dataclass(frozen=True, kw_only=True)
class Analyser(Listed):
    """The description of one analyser. A new one needs a line in the list, this, a rule table and a test."""

    executable: str
    invoke: Callable[[Tree, Sequence[str]], Invocation]
    """The invocation, from the base tree (where configuration comes from) and the paths that are run."""
    read_output: Callable[[str], list[AnalyserDiagnostic]]
    """Diagnostics with paths as printed; raises ValueError for what cannot be read."""
    rules: Mapping[str, Rule]
    elsewhere: str = ""
    """Where to get the program on platforms for which its Python package has no build."""
    read_files: ReadFiles = read_every_named_file
    """Returns the files that it is known to have read."""
    syntax_rules: frozenset[str] = frozenset()
    """The rules for a file that does not parse, so that nothing else is known about it."""
    join: Callable[[Sequence[AnalyserDiagnostic]], list[AnalyserDiagnostic]] = list
    """Joins the diagnostics that one fix would solve."""
    adds: Callable[[str, str], Iterable[AnalyserDiagnostic]] | None = None
    """Our own checks of files that it read, for problems that the tool does not report."""
    canary: Canary | None = None
    disarm: Callable[[bytes], bytes] = bytes
    """Disables comments that suppress the tool, without moving a byte."""
    ignored_at: Callable[[Tree, str], Iterable[str]] = lambda _base, _path: ()
    """The rules that the base commit's configuration ignores for a path."""
    subject: str = ""
    """What it looks for, in a few words."""
    version_tried: str = ""
    distribution: str = ""
    """The Python package that contains the program, if any."""
    has_package_version: bool = True
    """False if the package has its own version numbers, so that the program must be asked."""
    name_aside: Callable[[str, Sequence[Tree]], str | None] = lambda _path, _trees: None
    """Another name for a file that it should check, but not import as a module."""
    judge: Judge = count_everything
    may_be_new: Callable[[AnalyserDiagnostic, Change], bool] = lambda _diagnostic, _change: True
    """Returns whether `judge` could count a diagnostic of head; if it can count none, base is not run."""
    is_doubtful: Callable[[AnalyserDiagnostic], bool] = lambda _diagnostic: False
    """Returns whether an invocation for another version of the language might not report the diagnostic."""
    confirmed_by: tuple[Callable[[Tree, Sequence[str]], Invocation], ...] = ()
    identify: Identify | None = None
    """Identifies what a diagnostic is about, if new means absent from base; None: compare by place."""
    version_arguments: tuple[str, ...] = ("--version",)
    accepted_exit_codes: frozenset[int] = frozenset({0})
    compiled_rules: tuple[str, str] | None = None
    """The argument to cache no compiled rules, and the one to cache them in a folder.

    Compiling takes longer than searching. The recorded command has the first.
    """
    lighten: Callable[[Sequence[str], str, Sequence[bytes]], Sequence[str]] | None = None
    """Returns arguments that find the same sooner, given the version and what is searched; not recorded."""
    reads_any_path: bool = False
    """A file can make the tool read any other file of the machine, so it runs only in a sandbox."""
    from_listing: Callable[[str], Sequence[str]] | None = None
    """Returns more arguments from the listing, which then runs first; with none, nothing is run."""
    home_arguments: tuple[str, ...] = ()
    """The arguments to print its installation folder, where `bin` has the real program."""
    defines_in: tuple[str, ...] = (".py", ".pyi")
    """The endings of files whose definitions may cause a diagnostic elsewhere."""
    choose_part: Callable[[Change, Repository], Part] | None = None
    """Returns the files that can have a finding, for an analyser that can check some files of a project."""
    saying_the_same: Callable[[Sequence[AnalyserDiagnostic], Tree], set[str]] = lambda _found, _base: set()
    """Returns the files of base that may have the same diagnostics, which the judge asks for."""
    kept_cache: str = ""
    """The environment variable for a cache folder that is kept from run to run."""

    def whole(self) -> "Analyser":
        """Return the analyser itself."""
        return self

    @property
    def install_hint(self) -> str:
        """Return how to install it."""
        package = f"pip install {self.distribution}" if self.distribution else ""
        return ", or ".join(way for way in (package, self.elsewhere) if way)
