"""Describe an analyser: its name, what it reads, how it is run and how its output is read."""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from affidavit.analysers.rule import Rule
from affidavit.git.search.glob import matches_file
from affidavit.languages.python_modules import MODULE_ENDS
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange
from affidavit.records.evidence import AnalyserDiagnostic, WhyUnread
from affidavit.symbols.changed import ChangedSymbol
from affidavit.symbols.import_graph import ImportGraph, import_graph

Worth = Literal["drops", "withholds", "nothing"]


@dataclass(frozen=True)
class Disclaimer:
    """A reason that the text of a file gives why a diagnostic in it is no finding: a template, a dialect."""

    reason: str
    said_before: Callable[[bytes], bool]
    """Whether the content of the file at base says the same."""
    is_open: bool = False
    """It is code of the file, or what the analyser cannot read: then nothing is proven without it either."""

    def worth(self, before: bytes | None, *, is_fault: bool, was_read: bool) -> Worth:
        """What it does to the diagnostic of a file that had the content `before` at base, if it was there.

        `is_fault`: the diagnostic says that the file does not parse. `was_read`: the analyser read the file
        at base, so that it was in its language and parsed.
        """
        is_old = before is not None and self.said_before(before)
        if is_old and not is_fault:
            return "drops"
        return "withholds" if is_old or self.is_open or not was_read else "nothing"


Excuse = str | Disclaimer
"""Why a diagnostic is no finding: whatever the change says, or by what its file says of itself."""


Faults = dict[str, tuple[WhyUnread, str]]
"""Files that were not read, with the reason and what the tool said."""


@dataclass(frozen=True)
class Printed:
    """What a run left behind: its result, what it said beside, and its own list of files if asked for one."""

    output: str
    errors: str
    exit_code: int
    listing: str = ""


@dataclass(frozen=True)
class Reading:
    """What was read and what was not, with paths as printed.

    `read` is None where every file was handed over by name and the run ends in an error if one of them
    cannot be opened.
    """

    read: frozenset[str] | None = None
    unread: Faults = field(default_factory=dict)
    others: tuple[WhyUnread, str] | None = None
    """Why any other file was not read, where the tool has but one reason."""
    is_log: bool = False
    """What was read stands in lines among others, in which text of files may stand too."""


ReadFiles = Callable[[Printed], Reading]
"""Raises ValueError where what was printed says that not every file was read, and not which."""


def read_every_named_file(_printed: Printed) -> Reading:
    """For a tool that gets its files by name and fails where it cannot open one."""
    return Reading()


def read_nothing_for_certain(_printed: Printed) -> Reading:
    """For a tool that looks for its files by itself and does not say which it found."""
    return Reading(read=frozenset(), others=("unknown", "it does not say which files it read"))


def lines_after(mark: str, text: str, end: str = "") -> frozenset[str]:
    """What stands behind the mark, in each line that has it."""
    rest = (line.rstrip("\r").partition(mark)[2] for line in text.split("\n") if mark in line)
    return frozenset(one.removesuffix(end) for one in rest)


@dataclass(frozen=True)
class Canary:
    """A line that is added to the end of each file, which the analyser must report if it read the file.

    Files with a canary are laid out under numbers, so that no name makes the analyser leave one out; their
    names stand in the line above it, and are read there.
    """

    rule: str
    line: bytes

    def added_to(self, content: bytes, path: str) -> bytes:
        """The content with its name and the canary below it."""
        return b"\n".join((content, as_line(path), self.line, b""))

    def line_in(self, content: bytes) -> int:
        """The number of the canary's line."""
        return self.name_in(content) + 1

    def name_in(self, content: bytes) -> int:
        """The number of the line with the name."""
        return content.count(b"\n") + 2


def as_line(path: str) -> bytes:
    """A name as one line of text."""
    return path.replace("\n", " ").encode("utf-8", "replace")


LONE_RETURN = re.compile(r"\r(?!\n)")
"""What Python and JavaScript end a line with, too."""
YAML_BREAK = re.compile(r"\r(?!\n)|[\x85\u2028\u2029]")


@dataclass(frozen=True)
class Counting:
    """How an analyser counts lines and columns; as found by trying it on each of the signs in question."""

    also_ends: re.Pattern[str] | None = None
    """What ends a line besides a line feed."""
    by_bytes: bool = False
    """Columns are bytes, not characters."""


AS_HERE = Counting()


Scope = Literal["file", "project"]


CHECKOUT = "{checkout}"
"""In an argument: the checkout, by its whole path."""


@dataclass(frozen=True)
class Invocation:
    """How an analyser is run on one side: arguments, and files laid beside the code.

    Arguments and names are relative to the checkout, so that they are the same on every machine.
    `files` stand in the checkout (the configuration, made from the base commit's), `outside` next to it.
    """

    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    outside: Mapping[str, bytes] = field(default_factory=dict)
    listing: tuple[str, ...] = ()
    """The arguments with which the tool lists the files that it would read; none: it says so in its run."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of its own."""
    has_exclusions: bool = False
    """The base commit's configuration leaves files out."""


@dataclass(frozen=True)
class Inspection:
    """What an analyser may look at to decide whether a new diagnostic counts."""

    change: Change
    repository: Repository
    symbols: Sequence[ChangedSymbol]
    base_diagnostics: Sequence[AnalyserDiagnostic]
    unresolved: frozenset[str] = frozenset()
    """The files of head that the analyser could not check whole: what they import is not here."""
    unresolved_before: frozenset[str] = frozenset()
    """The same of base."""
    confirmed: Collection[tuple[str, str, int, int | None]] = ()
    """Rule, path, line and column of the doubtful diagnostics that every other invocation reports too."""

    @cached_property
    def imports(self) -> ImportGraph:
        """Who imports whom at head."""
        return import_graph(self.repository.head)

    @property
    def knows_whole_tree(self) -> bool:
        """Every file of the repository is known, so that absence means something."""
        return not any(file.is_partial for file in self.change.files)


Judge = Callable[[AnalyserDiagnostic, Inspection], Excuse | None]
"""The reason why a new diagnostic is no finding; None where it is one."""

Identify = Callable[[AnalyserDiagnostic, Tree], Hashable]


def count_everything(_diagnostic: AnalyserDiagnostic, _inspection: Inspection) -> Excuse | None:
    """The judge of an analyser whose new diagnostics all count."""
    return None


@dataclass(frozen=True)
class Analyser:
    """One analyser. A new one is one such description, its rule table and its test."""

    name: str
    executable: str
    patterns: tuple[str, ...]
    """Globs of file names, or of whole paths, that it reads."""
    scope: Scope
    """`file`: only changed files are run; `project`: every file of the side."""
    invoke: Callable[[Tree, Sequence[str]], Invocation]
    """The invocation, from the base tree (where configuration comes from) and the paths that are run."""
    read_output: Callable[[str], list[AnalyserDiagnostic]]
    """Diagnostics with paths as printed; raises ValueError for what cannot be read."""
    rules: Mapping[str, Rule]
    elsewhere: str = ""
    """Where to get the program on platforms for which its Python package has no build."""
    read_files: ReadFiles = read_every_named_file
    """Which of its files it was seen to read."""
    syntax_rules: frozenset[str] = frozenset()
    """The rules that say that a file does not parse, so that nothing else is known of it."""
    join: Callable[[Sequence[AnalyserDiagnostic]], list[AnalyserDiagnostic]] = list
    """Joins the diagnostics that one fix would settle."""
    adds: Callable[[str, str], Iterable[AnalyserDiagnostic]] = lambda _path, _text: ()
    """Checks of our own: from the path and text of a file that it read to what the tool does not report."""
    canary: Canary | None = None
    counting: Counting = AS_HERE
    """How it counts lines and columns."""
    disarm: Callable[[bytes], bytes] = bytes
    """The content of a file without the words that would have it say nothing, byte for byte."""
    ignored_at: Callable[[Tree, str], Iterable[str]] = lambda _base, _path: ()
    """The rules that the base commit's configuration ignores for a path."""
    subject: str = ""
    """What it looks for, in a few words."""
    languages: tuple[str, ...] = ()
    version_tried: str = ""
    distribution: str = ""
    """The Python package that brings the program, where one does."""
    has_package_version: bool = True
    """False: the package counts its versions in its own way, so the program is asked."""
    name_aside: Callable[[str, Sequence[Tree]], str | None] = lambda _path, _trees: None
    """Another name for a file that it should check, but not take for a module; seen from both sides."""
    judge: Judge = count_everything
    is_doubtful: Callable[[AnalyserDiagnostic], bool] = lambda _diagnostic: False
    """Whether another invocation, as for another version of the language, may not report a diagnostic."""
    confirmed_by: tuple[Callable[[Tree, Sequence[str]], Invocation], ...] = ()
    identify: Identify | None = None
    """What a diagnostic of a side speaks of, where new is what base has nowhere; None: new goes by places."""
    version_arguments: tuple[str, ...] = ("--version",)
    accepted_exit_codes: frozenset[int] = frozenset({0})
    looks_for: str = ""
    """The one thing that it looks for: its silence does not mean that the file was reviewed."""
    compiled_rules: tuple[str, str] | None = None
    """The argument that has it keep no compiled rules, and how the folder is named in which it may.

    To compile them takes it longer than to look. What is recorded as its command is the first.
    """
    reads_every_line: bool = False
    """It gets whatever is added: also to files that are skipped, binary, or known in part only."""
    reads_any_path: bool = False
    """A file can name any other on the machine, and the tool reads that: behind walls or not at all."""
    from_listing: Callable[[str], Sequence[str]] | None = None
    """From the listing, which then comes first, to more arguments; none of them: there is nothing to run."""
    home_arguments: tuple[str, ...] = ()
    """The arguments with which it prints the folder of its installation, where `bin` has the true program."""
    defines_in: tuple[str, ...] = MODULE_ENDS
    """The endings of files whose definitions may be to blame for a diagnostic elsewhere."""
    kept_cache: str = ""
    """The variable that names a folder which it keeps from run to run, as it compiles the same each time."""
    reads_any_case: bool = True
    """Names are known in any case, and laid out as the tool expects them."""

    @property
    def reads_for_meaning(self) -> bool:
        """It reads a file for what it means, not for one thing only."""
        return not self.looks_for

    @property
    def install_hint(self) -> str:
        """How to get it, for a reader of a report who may sit at another machine."""
        package = f"pip install {self.distribution}" if self.distribution else ""
        return ", or ".join(way for way in (package, self.elsewhere) if way)

    def looks_at(self, file: FileChange) -> bool:
        """Return whether the analyser gets a changed file: one that it covers and that is known whole."""
        if self.reads_every_line:
            return not file.is_submodule and self.covers(file.path)
        is_unknown = file.is_partial or file.is_binary or file.is_submodule or file.is_link
        return not (is_unknown or file.skipped) and self.covers(file.path)

    def covers(self, path: str) -> bool:
        """Whether the analyser reads files of this name; a pattern with a slash is held to the whole path."""
        return self.name_for(path) is not None

    def name_for(self, path: str) -> str | None:
        """The name under which the analyser knows a file: `a.py` for `a.PY`; None where it reads no such."""
        names = (path, *_other_cases(path)) if self.reads_any_case else (path,)
        return next(
            (name for name in names if any(matches_file(name, pattern) for pattern in self.patterns)), None
        )


def _other_cases(path: str) -> Iterator[str]:
    """The same path with its name written as tools expect names; languages do not mind the case."""
    folder, slash, name = path.rpartition("/")
    if name == name.lower():
        return
    stem, dot, ending = name.rpartition(".")
    if dot:
        yield f"{folder}{slash}{stem}{dot}{ending.lower()}"
    yield f"{folder}{slash}{name.lower()}"
    yield f"{folder}{slash}{name.capitalize()}"
