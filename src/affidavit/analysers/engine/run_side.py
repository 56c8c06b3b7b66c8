"""Run an analyser on one side of a change: checkout, run, read, remember."""

import asyncio
import os
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from urllib.parse import unquote

from affidavit.analysers.analyser import Analyser, Invocation
from affidavit.analysers.engine.cache import ResultCache, cache_key
from affidavit.analysers.engine.encoding import as_utf8
from affidavit.analysers.engine.execution import (
    Limits,
    Outcome,
    find_executable,
    isolated_environment,
    read_version,
    run_program,
)
from affidavit.analysers.engine.slots import Slots
from affidavit.git.checkout import write_tree_to
from affidavit.git.tree import REGULAR_MODES
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange
from affidavit.records.evidence import AnalyserDiagnostic, AnalyserRun, RunState
from affidavit.records.record import Side


@dataclass(frozen=True)
class Program:
    """An analyser that was found here."""

    path: Path
    version: str


@dataclass(frozen=True)
class SideResult:
    """What an analyser found on one side, and how it went."""

    run: AnalyserRun
    diagnostics: tuple[AnalyserDiagnostic, ...] = ()

    @property
    def is_complete(self) -> bool:
        """The absence of a diagnostic means something."""
        return self.run.state in ("completed", "nothing_to_do")


async def find_program(analyser: Analyser, reviewed_folder: Path | None) -> Program | None:
    """The analyser's program and its version, or None where it is not installed."""
    path = find_executable(analyser.executable, reviewed_folder=reviewed_folder)
    if path is None:
        return None
    packaged = packaged_version(analyser.distribution, path)
    if packaged and analyser.has_package_version:
        return Program(path, packaged)
    with TemporaryDirectory(prefix="affidavit-") as scratch:
        return Program(path, await read_version(path, analyser.version_arguments, Path(scratch)))


def packaged_version(distribution: str, program: Path) -> str:
    """The version of the Python package that brought the program; nothing where another one brought it."""
    if not distribution:
        return ""
    try:
        found = metadata.distribution(distribution)
    except metadata.PackageNotFoundError:
        return ""
    is_its_own = any(os.path.normpath(file.locate()) == str(program) for file in found.files or ())
    return found.version if is_its_own else ""


def paths_to_run(analyser: Analyser, change: Change, tree: Tree, side: Side) -> list[str]:
    """The paths of a side that the analyser gets, never one of which only hunks are known."""
    partial = {file.path_at(side) for file in change.files if file.is_partial}
    entries = tree.entries()
    changed = (_before(file, side) for file in change.reviewed_files())
    wanted = set(entries) if analyser.scope == "project" else entries.keys() & set(changed)
    return sorted(
        path for path in wanted - partial if analyser.covers(path) and entries[path].mode in REGULAR_MODES
    )


def _before(file: FileChange, side: Side) -> str | None:
    # A copy is compared with what it was copied from.
    return file.path_at(side) or (file.old_path if side == "base" else None)


async def analyse_side(
    analyser: Analyser,
    program: Program,
    change: Change,
    repository: Repository,
    side: Side,
    *,
    cache: ResultCache,
    limits: Limits,
    slots: Slots | None = None,
) -> SideResult:
    """Run the analyser on one side, or take what it said about the same content before."""
    paths = paths_to_run(analyser, change, repository.side(side), side)
    return await analyse_paths(
        analyser, program, repository, side, paths, cache=cache, limits=limits, slots=slots
    )


async def analyse_paths(
    analyser: Analyser,
    program: Program,
    repository: Repository,
    side: Side,
    paths: Sequence[str],
    *,
    cache: ResultCache,
    limits: Limits,
    slots: Slots | None = None,
) -> SideResult:
    """The same for any regular files of that side."""
    tree = repository.side(side)
    task = _Task(analyser, program, tree, side, tuple(paths), analyser.invoke(repository.base, paths))
    if not paths:
        return task.result("nothing_to_do")
    key = task.key()
    kept = await asyncio.to_thread(cache.load, key)
    if kept is not None:
        return task.result("completed", kept, is_cached=True)
    async with nullcontext() if slots is None else slots.one():
        found = await _run(task, limits)
    if found.run.state == "completed" and not found.run.refused:
        await asyncio.to_thread(cache.save, key, found.diagnostics)
    return found


@dataclass(frozen=True)
class _Task:
    """One run of one analyser on one side."""

    analyser: Analyser
    program: Program
    tree: Tree
    side: Side
    paths: tuple[str, ...]
    invocation: Invocation

    def key(self) -> str:
        """Everything that the result depends on."""
        entries = self.tree.entries()
        laid = {
            **self.invocation.files,
            **{f"../{name}": text for name, text in self.invocation.outside.items()},
        }
        return cache_key(
            self.analyser.name,
            self.program.version or str(self.program.path),
            self.invocation.arguments,
            {name: text.hex() for name, text in laid.items()},
            [(path, entries[path].blob) for path in self.paths],
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
    ) -> SideResult:
        """The result with the record of the run."""
        run = AnalyserRun(
            analyser=self.analyser.name,
            version=self.program.version,
            side=self.side,
            tree=self.tree.revision,
            state=state,
            command=(self.analyser.executable, *self.invocation.arguments),
            files=len(self.paths),
            diagnostics=len(diagnostics),
            duration_ms=duration_ms,
            is_cached=is_cached,
            detail=detail,
            refused=tuple(refused),
        )
        return SideResult(run, tuple(diagnostics))


def _temporary_folder() -> str:
    # Analysers print paths without links, so ours must have none either.
    return os.path.realpath(gettempdir())


async def _run(task: _Task, limits: Limits) -> SideResult:
    started = time.monotonic()
    with TemporaryDirectory(prefix="affidavit-", dir=_temporary_folder(), ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        code = scratch / "code"
        refused = set(await asyncio.to_thread(_lay_out, task, scratch)) & set(task.paths)
        outcome = await run_program(
            [str(task.program.path), *task.invocation.arguments],
            folder=code,
            environment=isolated_environment(scratch, task.program.path),
            limits=limits,
        )
        state, diagnostics, detail = _read(task, outcome, code, limits)
    duration_ms = round((time.monotonic() - started) * 1000)
    return task.result(state, diagnostics, detail=detail, duration_ms=duration_ms, refused=sorted(refused))


def _lay_out(task: _Task, scratch: Path) -> tuple[str, ...]:
    code = scratch / "code"
    code.mkdir()
    for name, content in task.invocation.outside.items():
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        (scratch / name).write_bytes(content)
    return write_tree_to(task.tree, code, task.paths, overrides=task.invocation.files, rewrite=as_utf8)


def _read(
    task: _Task, outcome: Outcome, code: Path, limits: Limits
) -> tuple[RunState, list[AnalyserDiagnostic], str]:
    name = f"{task.analyser.name} on {task.side}"
    said = f": {outcome.last_words}" if outcome.last_words else ""
    if outcome.state == "timed_out":
        return "timed_out", [], f"{name} took longer than {limits.timeout_seconds:g} s and was ended"
    if outcome.state == "flooded":
        return "unreadable", [], f"{name} printed more than {limits.output_mb} MB and was ended"
    if outcome.state == "not_started":
        return "crashed", [], f"{name} could not be started{said}"
    if outcome.exit_code not in task.analyser.accepted_exit_codes:
        return "crashed", [], f"{name} ended with exit code {outcome.exit_code}{said}"
    try:
        found = task.analyser.read_output(outcome.output.decode("utf-8"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        ended = f"ended with exit code {outcome.exit_code} and " if outcome.exit_code else ""
        return "unreadable", [], f"{name} {ended}printed what cannot be read ({type(error).__name__})"
    return "completed", _located(task, found, code), ""


def _located(task: _Task, found: Sequence[AnalyserDiagnostic], code: Path) -> list[AnalyserDiagnostic]:
    """The diagnostics of our rules, with their paths as the repository has them."""
    given = set(task.paths)
    located = []
    for diagnostic in found:
        path = (
            unquote(diagnostic.path.removeprefix("file://")) if "://" in diagnostic.path else diagnostic.path
        )
        path = path.removeprefix(f"{code}/").removeprefix("./")
        if path in given and diagnostic.rule in task.analyser.rules:
            located.append(diagnostic.model_copy(update={"path": path}))
    return located
