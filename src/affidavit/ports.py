"""Define every seam of Affidavit: what the stages need and others provide."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from affidavit.events import Emit, ignore_events
from affidavit.records.candidate import Candidate, Judgement, SpecialistKind
from affidavit.records.change import Change, FileChange
from affidavit.records.evidence import DependencyCheck, ReproductionCheck, SearchHit
from affidavit.records.iteration import Earlier, Scope
from affidavit.records.plan import Plan
from affidavit.records.program_runs import Program, ProgramRun, TrialStep
from affidavit.records.record import Record, Side
from affidavit.records.report import Answer, LanguageHere, Programs, Reply, RoleUsage


class BlameLine(Record):
    """Who last changed a line, and why."""

    path: str
    line: int
    author: str
    date: str
    commit: str
    summary: str
    text: str
    before: str = ""
    """The file's path in the commit before that one; empty if it has none."""


class LineCommit(Record):
    """The commit that last changed a line."""

    blame: BlameLine
    message: str
    files: tuple[str, ...] = ()
    """The files that it changed."""
    diff: str = ""
    """Its diff of the file near the line."""
    is_cut: bool = False
    """The diff is cut."""


@dataclass(frozen=True)
class Entry:
    """One file of a tree. `mode` is git's: 100644, 100755, 120000 (link), 160000 (submodule)."""

    path: str
    raw_path: bytes
    mode: str
    blob: str


def no_rule_is_off(_rule: str, _path: str) -> bool:
    """Treat every rule as switched on."""
    return False


def always(_path: str) -> bool:
    """Count every file."""
    return True


class Tree(Protocol):
    """One side of the repository, read from git objects only."""

    revision: str

    def entries(self) -> dict[str, Entry]: ...

    def entry(self, path: str) -> Entry | None: ...

    def without(self, paths: Collection[str]) -> "Tree":
        """Return the tree as if it did not have these files."""

    def read(self, path: str) -> bytes | None:
        """Return the content of a regular file; None if there is none, also for a link or a submodule."""

    def link(self, path: str) -> str | None:
        """Return the target of a link, which is never followed; None for anything else."""

    def lines(self, path: str) -> list[str] | None:
        """Return the text of a file as lines without their ends; None if it has none."""

    def redacted_lines(self, path: str) -> list[str] | None:
        """Return the lines without secrets, redacted as a whole file; for a link, its target."""

    def without_secrets(self, path: str, text: str) -> str:
        """Redact a text about a file by the secrets of the file."""

    def search(
        self,
        pattern: str,
        paths: Sequence[str] = (),
        *,
        is_literal: bool = False,
        is_word: bool = False,
        max_hits: int = 200,
        max_characters: int = 2000,
        counts: Callable[[str], bool] = always,
    ) -> list[SearchHit]:
        """Return matching lines of files that count; long ones are cut around the match.

        Raise InputError for a bad pattern or for paths that name no file.
        """

    def files_with(self, pattern: str, endings: Sequence[str]) -> set[str]:
        """The files of these endings with a line that matches a Perl-compatible pattern."""

    def blame(self, path: str, line: int) -> BlameLine | None: ...

    def line_commit(self, path: str, line: int) -> LineCommit | None:
        """Return the commit behind a line; None if there is no such line or no history."""


class Repository(Protocol):
    """A pair of trees. Nothing is written into the user's repository."""

    @property
    def folder(self) -> Path | None:
        """Return the folder of the repository's own files; no program is ever run from there."""

    @property
    def base(self) -> Tree: ...

    @property
    def head(self) -> Tree: ...

    @property
    def tip(self) -> Tree | None:
        """Return the current target branch of the change; None if it is unknown."""

    @property
    def excusing(self) -> tuple[Tree, ...]:
        """Return base and, if known, the tip: a file is excused only if all of them say so."""

    def side(self, side: Side) -> Tree: ...

    @property
    def redacted(self) -> "Repository":
        """Return the same pair without secrets in files and names, as it may leave the machine."""

    def shown_name(self, path: str) -> str:
        """Return the name of a file of the commit here."""


class Runner(Protocol):
    """Runs programs in sandboxed copies of both sides; there is none unless the user asked for it."""

    @property
    def name(self) -> str:
        """Name the sandbox."""

    @property
    def languages(self) -> tuple[str, ...]:
        """Return the languages that programs can be written in."""

    def run(self, program: Program, side: Side, seconds: float | None = None) -> ProgramRun:
        """Run a program in a copy of its own; its output is bounded and without secrets."""

    def stop(self) -> None:
        """End what is running, and run nothing more."""


class Reproducer(Protocol):
    """Gives the results of reproductions and patches: a sandbox, or a report that recorded them."""

    @property
    def ground(self) -> Programs:
        """Return the sandbox of programs, or why none are run."""

    async def reproduce(self, candidate: Candidate) -> ReproductionCheck | None: ...

    async def try_patch(self, candidate: Candidate) -> tuple[TrialStep, ...] | None: ...


TryPatch = Callable[[Candidate], Awaitable[tuple[TrialStep, ...] | None]]
"""Tries the patch of a finding; None: patches of its kind are not tried."""


class Dependencies(Protocol):
    """Checks quotes of packages: by the packages installed here, or a report that recorded the checks."""

    def check(self, candidate: Candidate) -> tuple[DependencyCheck, ...]:
        """Return the check of each quote of a candidate, in order."""


@dataclass(frozen=True)
class Case:
    """One change under review, with everything that specialists and stages need."""

    change: Change
    repository: Repository
    emit: Emit = ignore_events
    review_id: str = ""
    plan: Plan | None = None
    """The plan of the models; None without models."""
    replies: tuple[Reply, ...] = ()
    runner: Runner | None = None
    """The runner of programs; None unless the user asked for it."""
    languages: tuple[LanguageHere, ...] = ()
    """Which languages of the change can run."""
    earlier: Earlier | None = None
    """The earlier review; None for the first of a change."""
    scope: Scope | None = None
    """The files that models examine in a follow-up review; None without models."""
    dependencies: Dependencies | None = None
    """Checks quotes of packages; None if none can be read."""
    is_rule_off: Callable[[str, str], bool] = no_rule_is_off
    """Checks whether the settings switch off a rule at a path, so that its silence proves nothing."""

    @property
    def has_verifier(self) -> bool:
        """Check whether there is a verifier: without one, no model works by a plan."""
        return self.plan is not None


class Specialist(Protocol):
    """Proposes findings: an analyser or a model."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> SpecialistKind: ...

    def examines(self, file: FileChange) -> bool:
        """Check whether this specialist covers the file."""

    async def examine(self, case: Case) -> Reply: ...


class Judged(Record):
    """A judgement and its cost."""

    judgement: Judgement
    usage: tuple[RoleUsage, ...] = ()


class Verifier(Protocol):
    """Tries to refute one finding at a time."""

    async def judge(self, candidate: Candidate) -> Judged: ...


@dataclass(frozen=True)
class Verifiers:
    """The verifier of findings, and an independent second one if there is one."""

    first: Verifier
    second: Verifier | None = None


class Joiner(Protocol):
    """Says which findings have one cause; the caller parses and checks the answer."""

    async def join(self, candidates: Sequence[Candidate]) -> Answer: ...


class ToolSource(Protocol):
    """Tools that a model may call: read-only, bounded, and never raising."""

    @property
    def descriptions(self) -> list[dict[str, Any]]:
        """Return the tools in the form of function calling."""

    def call(self, name: str, arguments: object) -> dict[str, Any]: ...


Role = Literal[
    "planner",
    "specialist",
    "specialist_2",
    "specialist_3",
    "joiner",
    "verifier",
    "second_verifier",
    "reporter",
]
"""The second verifier exists only if the user names a model for it; the joiner has the verifier's."""
SPECIALISTS: tuple[Role, ...] = ("specialist", "specialist_2", "specialist_3")
"""One role for each model that the user names for the specialists."""


@dataclass(frozen=True)
class Talk:
    """One conversation to hold with a model.

    `instructions` and `prefix` are the same for many talks of a review, so that providers can cache them;
    `task` is what differs.
    """

    speaker: str
    """The name for events and the log: security, logic, verifier, …"""
    instructions: str
    prefix: str
    task: str
    schema: dict[str, Any]
    schema_name: str
    tools: ToolSource | None = None
    max_turns: int = 40
    max_tokens: int | None = None
    """What its requests may have together; the first and the last are sent in any case."""
    repeatable: Collection[str] = ()
    """Tools that give the same answer again, so that an earlier one can be left out."""


class Mind(Protocol):
    """The model of one role."""

    role: Role
    model: str

    async def converse(self, talk: Talk, emit: Emit) -> Answer: ...
