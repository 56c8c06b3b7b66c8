"""Describe one run of one analyser on one side: its input, its cached result, its output and record."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from affidavit.analysers.engine.analyser import EVERYTHING, Analyser, Invocation, Part, Printed, Reading
from affidavit.analysers.engine.encoding import as_utf8
from affidavit.analysers.engine.execution import Limits, Outcome
from affidavit.git.blob_cache import BlobCache
from affidavit.git.tree import own_content
from affidavit.ports import Tree
from affidavit.records.evidence import IN_NAME, AnalyserDiagnostic, AnalyserRun, RunState, Unread
from affidavit.records.record import Record, Side

if TYPE_CHECKING:
    from affidavit.analysers.engine.wording import Counted

FORMAT = 9
KIND = "analyser result"
MISREAD = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


def cache_key(*parts: Any) -> str:
    """Hash everything that a result depends on."""
    text = json.dumps([FORMAT, *parts], sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()


class Kept(Record):
    """The cached part of a run: its diagnostics, and the files that it did not read."""

    diagnostics: tuple[AnalyserDiagnostic, ...]
    unread: tuple[Unread, ...]


class ResultCache:
    """Results by key; without a folder nothing is kept. A broken result is a miss."""

    def __init__(self, folder: Path | None) -> None:
        self._extracts = BlobCache(folder)

    def load(self, key: str) -> Kept | None:
        """Return the cached result, or None."""
        stored = self._extracts.load(KIND, FORMAT, [key]).get(key, b"")
        try:
            return Kept.model_validate_json(stored)
        except ValueError:
            return None

    def save(self, key: str, kept: Kept) -> None:
        """Cache a result; one with a path that is no text is not kept."""
        with suppress(ValueError):
            self._extracts.save(KIND, FORMAT, {key: kept.model_dump_json(exclude_defaults=True).encode()})


@dataclass(frozen=True)
class Program:
    """The program of an analyser."""

    path: Path
    version: str
    launcher: tuple[str, ...] = ()
    """The interpreter that a script is started with."""

    @property
    def command(self) -> tuple[str, ...]:
        """Return the command that starts it."""
        return (*self.launcher, str(self.path.resolve() if self.launcher else self.path))


@dataclass(frozen=True)
class SideResult:
    """The diagnostics of an analyser for one side, with the record of its run."""

    run: AnalyserRun
    diagnostics: tuple[AnalyserDiagnostic, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Return whether the absence of a diagnostic means something."""
        return self.run.state in ("completed", "nothing_to_do")


Place = tuple[str, str, int, int | None]
"""Rule, path, line and column of a diagnostic."""


@dataclass(frozen=True)
class Examination:
    """The results of an analyser for both sides of a change, and what they mean."""

    base: SideResult
    head: SideResult
    confirmed: frozenset[Place] = frozenset()
    """Doubtful diagnostics that the analyser's other invocations report, too."""
    silenced: frozenset[Place] = frozenset()
    """Diagnostics that the analyser does not report because of comments that the change adds."""
    counted: "tuple[Counted, ...]" = ()
    dropped: tuple[tuple[AnalyserDiagnostic, str], ...] = ()
    unquotable: tuple[AnalyserDiagnostic, ...] = ()
    """Diagnostics that would count if their file had text to quote."""

    @property
    def is_complete(self) -> bool:
        """Return whether both sides are known, so that new means new."""
        return self.base.is_complete and self.head.is_complete


def laid_names(analyser: Analyser, paths: Sequence[str], trees: Sequence[Tree]) -> dict[str, str]:
    """Map the names of files in the checkout to their paths; `trees` are both sides."""
    if analyser.canary is not None:
        return {str(number): path for number, path in enumerate(paths)}
    aside = {path: name for path in paths if (name := analyser.name_aside(path, trees))}
    laid = {path: path for path in paths if path not in aside and analyser.name_for(path) in (path, None)}
    for path in paths:
        name = aside.get(path) or analyser.name_for(path) or path
        # If another file has that name, it keeps its own, and is reported as unread.
        laid.setdefault(path if name in laid else name, path)
    return dict(sorted(laid.items(), key=lambda pair: pair[1]))


@dataclass(frozen=True)
class Task:
    """One run of one analyser on one side."""

    analyser: Analyser
    program: Program
    tree: Tree
    side: Side
    paths: tuple[str, ...]
    invocation: Invocation
    laid: Mapping[str, str]
    """The names of the files in the checkout, and their paths."""
    rewritten: Mapping[str, bytes] = field(default_factory=dict)
    """Files with another content than in the tree."""
    part: Part | None = None

    @cached_property
    def checked(self) -> tuple[str, ...]:
        """Return the files that the analyser checks; the others are only in the checkout."""
        if self.part is None or self.part.whole:
            return self.paths
        return tuple(path for path in self.paths if path in self.part.paths)

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """Return the arguments, with the names of the files to check."""
        given = self.invocation.arguments
        if self.checked == self.paths or given[-1] != EVERYTHING:
            return given
        wanted = set(self.checked)
        return (*given[:-1], *(f"./{name}" for name, path in self.laid.items() if path in wanted))

    @property
    def extent(self) -> str:
        """Say which files are checked, where that was a choice."""
        if self.part is None:
            return ""
        if self.part.whole:
            return f"checked the whole project: {self.part.whole}"
        return (
            f"checked {len(self.checked)} of {len(self.paths)} files: those that the change touches, "
            "and those with names that it affects"
        )

    def text_of(self, path: str) -> bytes:
        """Return a file as the analyser gets it."""
        instead = self.rewritten.get(path)
        return self.laid_out(path, (own_content(self.tree, path) or b"") if instead is None else instead)

    def laid_out(self, path: str, content: bytes) -> bytes:
        """Return the content of a file as the analyser gets it."""
        return self.analyser.disarm(as_utf8(path, content))

    def key(self) -> str:
        """Return the key of the cached result."""
        entries = self.tree.entries()
        laid = {
            **self.invocation.files,
            **{f"../{name}": text for name, text in self.invocation.outside.items()},
        }
        return cache_key(
            self.analyser.name,
            self.program.version or str(self.program.path),
            self.arguments,
            {name: text.hex() for name, text in laid.items()},
            [(path, entries[path].blob) for path in self.paths],
            {name: path for name, path in self.laid.items() if name != path},
            {path: text.hex() for path, text in self.rewritten.items()},
            dict(self.invocation.environment),
        )

    def result(
        self,
        state: RunState,
        diagnostics: Sequence[AnalyserDiagnostic] = (),
        *,
        detail: str = "",
        duration_ms: int = 0,
        is_cached: bool = False,
        refused: Sequence[str] = (),
        unread: Sequence[Unread] = (),
    ) -> SideResult:
        """Return the result with the record of the run."""
        missed = {*refused, *(one.path for one in unread)}
        read = tuple(path for path in self.checked if path not in missed) if state == "completed" else ()
        run = AnalyserRun(
            analyser=self.analyser.name,
            version=self.program.version,
            side=self.side,
            tree=self.tree.revision,
            state=state,
            command=(self.analyser.executable, *self.arguments),
            files=len(self.checked),
            diagnostics=len(diagnostics),
            duration_ms=duration_ms,
            is_cached=is_cached,
            detail=detail or self.extent,
            refused=tuple(refused),
            read=read,
            unread=tuple(unread),
            looks_for=self.analyser.looks_for,
        )
        return SideResult(run, tuple(diagnostics))


@dataclass(frozen=True)
class Found:
    """The output of a successful run, with paths as printed."""

    diagnostics: Sequence[AnalyserDiagnostic]
    reading: Reading


def read_outcome(
    task: Task, outcome: Outcome, listing: Outcome | None, limits: Limits
) -> tuple[RunState, Found | None, str]:
    name = f"{task.analyser.name} on {task.side}"
    said = f": {outcome.last_words}" if outcome.last_words else ""
    ends: dict[str, tuple[RunState, str]] = {
        "timed_out": ("timed_out", f"took longer than {limits.timeout_seconds:g} s and was ended"),
        "flooded": ("unreadable", f"printed more than {limits.output_mb} MB and was ended"),
        "not_started": ("crashed", f"could not be started{said}"),
    }
    if outcome.state in ends:
        state, what = ends[outcome.state]
        return state, None, f"{name} {what}"
    if outcome.exit_code not in task.analyser.accepted_exit_codes:
        return "crashed", None, f"{name} ended with exit code {outcome.exit_code}{said}"
    if listing is not None and (listing.state, listing.exit_code) != ("exited", 0):
        return "crashed", None, f"{name} could not list its files"
    try:
        found = task.analyser.read_output(outcome.output.decode("utf-8"))
    except MISREAD as error:
        ended = f"ended with exit code {outcome.exit_code} and " if outcome.exit_code else ""
        return "unreadable", None, f"{name} {ended}printed what cannot be read ({type(error).__name__})"
    try:
        reading = task.analyser.read_files(_printed(outcome, listing))
    except MISREAD as error:
        return "unreadable", None, f"{name} could not read every file: {error}"
    return "completed", Found(found, reading), ""


def _printed(outcome: Outcome, listing: Outcome | None) -> Printed:
    def text(printed: bytes) -> str:
        return printed.decode("utf-8", errors="replace")

    listed = text(listing.output) if listing else ""
    return Printed(text(outcome.output), text(outcome.errors), outcome.exit_code, listed)


def sort_out(task: Task, found: Found, code: Path) -> tuple[list[AnalyserDiagnostic], list[Unread]]:
    """Return the diagnostics of our rules, and the files that were not read."""
    laid = task.laid
    located = [
        one.model_copy(update={"path": laid[name]})
        for one in found.diagnostics
        if (name := _name_in_checkout(one.path, code)) in laid
    ]
    unread = {
        laid[name]: Unread(path=laid[name], why=why, detail=detail)
        for printed, (why, detail) in found.reading.unread.items()
        if (name := _name_in_checkout(printed, code)) in laid
    }
    read = _answering(task, located) if task.analyser.canary else _seen(task, found.reading, code)
    for path in task.checked:
        if path not in read and path not in unread:
            unread[path] = _left_out(task, path, found.reading)
    for one in located:
        if one.rule in task.analyser.syntax_rules and one.path not in unread:
            unread[one.path] = Unread(path=one.path, why="unparsed", detail=f"line {one.line}: {one.message}")
    kept = [_in_name(task, _fitting(task, one)) for one in located if one.rule in task.analyser.rules]
    if add := task.analyser.adds:
        texts = ((path, task.text_of(path)) for path in task.checked if path not in unread)
        kept += [one for path, text in texts for one in add(path, text.decode("utf-8", errors="replace"))]
    return kept, [unread[path] for path in task.checked if path in unread]


def _fitting(task: Task, one: AnalyserDiagnostic) -> AnalyserDiagnostic:
    """Drop the edits of a file that the analyser got otherwise than the tree has it."""
    return one.model_copy(update={"edits": ()}) if one.edits and one.path in task.rewritten else one


def _in_name(task: Task, one: AnalyserDiagnostic) -> AnalyserDiagnostic:
    """Move a diagnostic in the line with the file's name to the name."""
    canary = task.analyser.canary
    is_name = canary is not None and one.line == canary.name_in(task.text_of(one.path))
    return one.model_copy(update={"line": IN_NAME}) if is_name else one


def _name_in_checkout(printed: str, code: Path) -> str:
    path = unquote(printed.removeprefix("file://")) if "://" in printed else printed
    resolved, given = _names_of(code)
    return path.removeprefix(resolved).removeprefix(given).removeprefix("./").removeprefix("./")


@lru_cache(maxsize=16)
def _names_of(code: Path) -> tuple[str, str]:
    return f"{code.resolve()}/", f"{code}/"


def _seen(task: Task, reading: Reading, code: Path) -> set[str]:
    if reading.read is None:
        return set(task.checked)
    # The checkout's own name is made up for each run: text of a file that an analyser repeats cannot name it.
    own = _names_of(code)
    named = (one for one in reading.read if not reading.is_log or one.startswith(own))
    return {task.laid.get(_name_in_checkout(printed, code), "") for printed in named}


def _answering(task: Task, located: Sequence[AnalyserDiagnostic]) -> set[str]:
    """Return the files whose canary was reported in the last line: they were read to their end."""
    canary = task.analyser.canary
    answered = {(one.path, one.line) for one in located if canary and one.rule == canary.rule}
    return {path for path, line in answered if canary and line == canary.line_in(task.text_of(path))}


def _left_out(task: Task, path: str, reading: Reading) -> Unread:
    if reading.others is not None:
        return Unread(path=path, why=reading.others[0], detail=reading.others[1])
    if task.invocation.has_exclusions:
        return Unread(path=path, why="excused", detail="the repository's configuration leaves it out")
    return Unread(path=path, why="left_out", detail=f"{task.analyser.name} was not seen to read it")
