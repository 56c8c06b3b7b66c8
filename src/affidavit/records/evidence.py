"""Results of checking the proof of a finding, and the tool calls of a specialist."""

import re
from typing import Literal

from affidavit.records.finding import Search, Severity
from affidavit.records.program_runs import ProgramRun
from affidavit.records.record import Record, Side


class ToolUse(Record):
    """One answered tool call: the files it showed, and where it searched."""

    tool: str
    read: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    """Files, folders and globs that a search was limited to, whatever it found."""


def is_within(path: str, place: str) -> bool:
    """Check whether a search in `place` (a file, a folder or a glob) includes the file."""
    plain = place.removeprefix("./").strip("/")
    if any(mark in plain for mark in "*?["):
        # Only the part before the first wildcard is compared.
        return path.startswith(re.split(r"[*?\[]", plain, maxsplit=1)[0])
    return plain in ("", ".") or path == plain or path.startswith(f"{plain}/")


QuoteOutcome = Literal["exact", "relocated", "ambiguous", "not_found", "not_quoted"]


class QuoteCheck(Record):
    """The location of the quoted code. `code` is the file's text of lines `start` to `end`."""

    outcome: QuoteOutcome
    file: str
    side: Side
    start: int | None = None
    end: int | None = None
    code: str = ""
    blob: str | None = None
    detail: str = ""


DependencyOutcome = Literal["exact", "relocated", "ambiguous", "not_found", "other_file", "not_here"]
"""other_file: the file at hand has another hash; not_here: there is no such package or file to look at."""


class DependencyCheck(Record):
    """The location of code quoted from a package; `code` is the file's own text."""

    outcome: DependencyOutcome
    package: str
    version: str
    file: str
    sha256: str
    start: int | None = None
    end: int | None = None
    code: str = ""
    detail: str = ""

    @property
    def is_found(self) -> bool:
        """Check whether the quoted code was found in that very file."""
        return self.start is not None

    @property
    def is_refuted(self) -> bool:
        """Check whether that very file was read and does not have the quoted code."""
        return self.outcome == "not_found"

    @property
    def summary(self) -> str:
        file = f"quotes {self.package} {self.version} {self.file}"
        lines = f"{self.start}-{self.end}" if self.end != self.start else str(self.start)
        return {
            "exact": f"{file}:{lines}",
            "relocated": f"{file}:{lines}, not where it was claimed",
            "ambiguous": f"{file}:{lines}, and it occurs there several times",
            "not_found": f"{file}, where it does not occur",
            "other_file": f"{file}, not verified: the file here is another one",
            "not_here": f"{file}, not verified: it is not here",
        }[self.outcome]


class SearchHit(Record):
    path: str
    line: int
    text: str


SearchState = Literal["nothing_found", "hits", "failed"]


class SearchRun(Record):
    """A declared search, run again."""

    search: Search
    state: SearchState
    hits: tuple[SearchHit, ...] = ()
    detail: str = ""


ReproductionOutcome = Literal[
    "reproduced", "reproduced_new", "promised", "not_reproduced", "also_at_base", "flaky", "could_not_run"
]
"""reproduced: as expected on both sides; reproduced_new: as expected at head, by code that base lacks;
promised: base and head do the same, and the change says in the quoted words that it is fixed."""


class ReproductionCheck(Record):
    """The result of a declared reproduction, run once at base and twice at head."""

    outcome: ReproductionOutcome
    detail: str = ""
    base: ProgramRun | None = None
    head: tuple[ProgramRun, ...] = ()
    patched: ProgramRun | None = None
    """The program at head with the finding's patch, where the program showed the problem."""
    sandbox: str = ""

    @property
    def is_shown_by_running(self) -> bool:
        """Check whether the run showed the problem."""
        return self.outcome in ("reproduced", "reproduced_new", "promised")


class Edit(Record):
    """An analyser's replacement for a range of text; numbers count from 1, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


IN_NAME = 0
"""The line of a problem in the name of a file."""


class AnalyserDiagnostic(Record):
    """One problem that an analyser printed, with its path as the repository has it."""

    rule: str
    message: str
    path: str
    line: int
    end_line: int | None = None
    column: int | None = None
    related: tuple[SearchHit, ...] = ()
    severity: Severity | None = None
    """The analyser's own severity; None if the rule decides."""
    edits: tuple[Edit, ...] = ()


WhyUnread = Literal["excused", "foreign", "left_out", "unreadable", "unparsed", "unresolved", "unknown"]
"""Why an analyser did not read a file that it was given.

excused: the base commit's configuration leaves it out; foreign: it is written in another language than its
name says; left_out: by the tool's own choice; unreadable: the tool could not load it; unparsed: it is not
valid in its language; unresolved: the tool lacks what the file needs, such as packages; unknown: the tool
looks for its files by itself and does not say which it read.
"""


class Unread(Record):
    """A file that an analyser was given and did not read, or not to its end."""

    path: str
    why: WhyUnread
    detail: str = ""


RunState = Literal["completed", "not_installed", "crashed", "timed_out", "unreadable", "nothing_to_do"]


class AnalyserRun(Record):
    """One run of an analyser on one side, with enough to repeat it."""

    analyser: str
    version: str = ""
    side: Side
    tree: str
    state: RunState
    command: tuple[str, ...] = ()
    files: int = 0
    diagnostics: int = 0
    duration_ms: int = 0
    is_cached: bool = False
    detail: str = ""
    refused: tuple[str, ...] = ()
    """Files not passed to it, because of their names."""
    read: tuple[str, ...] = ()
    """The changed files that it is known to have read."""
    unread: tuple[Unread, ...] = ()
    looks_for: str = ""
    """The only thing it searches files for; empty if it examines them in full."""
