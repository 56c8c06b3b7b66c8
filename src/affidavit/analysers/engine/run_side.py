"""Run an analyser on one side of a change: checkout, run, read, remember."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from affidavit.analysers.engine.analyser import CHECKOUT, Analyser, Part
from affidavit.analysers.engine.checkouts import Checkouts, lay_out
from affidavit.analysers.engine.encoding import read_otherwise
from affidavit.analysers.engine.execution import (
    Limits,
    Outcome,
    Slots,
    has_walls,
    isolated_environment,
    parts_of,
    run_program,
    seen_by,
    walled,
)
from affidavit.analysers.engine.task import (
    Kept,
    Program,
    ResultCache,
    SideResult,
    Task,
    laid_names,
    read_outcome,
    sort_out,
)
from affidavit.config.places import cache_folder
from affidavit.git.tree import LINK_MODE, REGULAR_MODES
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange, SkipReason
from affidavit.records.evidence import Unread
from affidavit.records.record import Side
from affidavit.system.private_files import make_private_folder
from affidavit.system.temporary import temporary_folder

FAILED_ON_A_FILE = ("crashed", "unreadable")
MAX_ALONE = 40
MAX_BYTES = 20_000_000


def paths_to_run(analyser: Analyser, change: Change, tree: Tree, side: Side) -> list[str]:
    """Return the paths of a side that the analyser gets; incomplete files only if it reads lines."""
    entries = tree.entries()
    if analyser.reads_every_line:
        left_out = {_before(file, side) for file in change.files if _is_huge(file, tree, side)}
        changed = {_before(file, side) for file in change.files}
    else:
        left_out = {file.path_at(side) for file in change.files if file.is_partial}
        changed = {_before(file, side) for file in change.reviewed_files()}
    wanted = set(entries) if analyser.scope == "project" else entries.keys() & changed
    # What a link leads to is not read; where it leads is a line like any other.
    modes = REGULAR_MODES | {LINK_MODE} if analyser.reads_every_line else REGULAR_MODES
    return sorted(path for path in wanted - left_out if analyser.covers(path) and entries[path].mode in modes)


def _is_huge(file: FileChange, tree: Tree, side: Side) -> bool:
    """Return whether a file is too large to read."""
    path = _before(file, side)
    if path is None or file.skipped not in (SkipReason.BINARY, SkipReason.TOO_LARGE):
        return False
    content = tree.read(path)
    return content is None or len(content) > MAX_BYTES


def _before(file: FileChange, side: Side) -> str | None:
    # A copy is compared with what it was copied from.
    return file.path_at(side) or (file.old_path if side == "base" else None)


def _not_read(found: SideResult, unread: Sequence[Unread]) -> SideResult:
    """Remove the diagnostics of files that the analyser did not read as git does."""
    paths = {one.path for one in unread}
    if not paths or found.run.state != "completed":
        return found
    update = {
        "read": tuple(path for path in found.run.read if path not in paths),
        "unread": (*(one for one in found.run.unread if one.path not in paths), *unread),
    }
    kept = tuple(one for one in found.diagnostics if one.path not in paths)
    return SideResult(found.run.model_copy(update={**update, "diagnostics": len(kept)}), kept)


@dataclass(frozen=True)
class SideRunner:
    """Runs one analyser on either side of a repository."""

    analyser: Analyser
    program: Program
    repository: Repository
    cache: ResultCache = field(default_factory=lambda: ResultCache(None))
    limits: Limits = field(default_factory=Limits)
    slots: Slots = field(default_factory=Slots)
    part: Part | None = None
    """The files that are checked; None: all, without a choice."""
    checkouts: Checkouts | None = None

    async def on_side(
        self, change: Change, side: Side, rewritten: Mapping[str, bytes] | None = None
    ) -> SideResult:
        """Run the analyser on what it gets of one side, or take the cached result for the same content."""
        tree = self.repository.side(side)
        paths = paths_to_run(self.analyser, change, tree, side)
        found = await self.on_paths(side, paths, rewritten)
        if self.analyser.reads_every_line:
            return found
        relevant = {one.path for one in found.diagnostics} | {_before(file, side) for file in change.files}
        return _not_read(found, read_otherwise(tree, [one for one in paths if one in relevant]))

    async def on_paths(
        self, side: Side, paths: Sequence[str], rewritten: Mapping[str, bytes] | None = None
    ) -> SideResult:
        """Run the analyser on files of a side; `rewritten` has other contents than the tree's."""
        task = self._task(side, paths, rewritten or {})
        if not task.checked:
            return task.result("nothing_to_do")
        key = task.key()
        kept = await asyncio.to_thread(self.cache.load, key)
        if kept is not None:
            return task.result("completed", kept.diagnostics, is_cached=True, unread=kept.unread)
        async with self.slots.one():
            found = await _run(task, self.limits, self.checkouts)
        is_one_of_few = self.analyser.scope == "file" and 1 < len(paths) <= MAX_ALONE
        if found.run.state in FAILED_ON_A_FILE and is_one_of_few:
            return _joined(found, {path: await self.on_paths(side, [path], rewritten) for path in paths})
        if found.run.state == "completed" and not found.run.refused:
            await asyncio.to_thread(
                self.cache.save, key, Kept(diagnostics=found.diagnostics, unread=found.run.unread)
            )
        return found

    def _task(self, side: Side, paths: Sequence[str], rewritten: Mapping[str, bytes]) -> Task:
        laid = laid_names(self.analyser, paths, (self.repository.base, self.repository.head))
        # The target's own configuration, where it is known: a branch picks its base, not its target.
        configured = self.repository.tip or self.repository.base
        invocation = self.analyser.invoke(configured, paths if self.analyser.canary else list(laid))
        tree = self.repository.side(side)
        return Task(
            self.analyser, self.program, tree, side, tuple(paths), invocation, laid, rewritten, self.part
        )


def _joined(together: SideResult, alone: Mapping[str, SideResult]) -> SideResult:
    """Join the runs of single files after one of them ended the run of all."""
    each = alone.values()
    if not any(one.is_complete for one in each):
        return together
    fallen = [
        Unread(path=path, why="unreadable", detail=one.run.detail)
        for path, one in alone.items()
        if not one.is_complete
    ]
    update = {
        "state": "completed",
        "detail": "",
        "diagnostics": sum(len(one.diagnostics) for one in each),
        "duration_ms": together.run.duration_ms + sum(one.run.duration_ms for one in each),
        "refused": tuple(path for one in each for path in one.run.refused),
        "read": tuple(path for one in each for path in one.run.read),
        "unread": (*fallen, *(unread for one in each for unread in one.run.unread)),
    }
    return SideResult(
        together.run.model_copy(update=update),
        tuple(diagnostic for one in each for diagnostic in one.diagnostics),
    )


async def _run(task: Task, limits: Limits, checkouts: Checkouts | None) -> SideResult:
    started = time.monotonic()
    limits = limits.for_files(len(task.paths))
    with checkouts.folder() if checkouts else temporary_folder("analyser-") as scratch:
        code = scratch / "code"
        refused = set(await asyncio.to_thread(lay_out, task, scratch, checkouts)) & set(task.paths)
        outcome, listing = await _outcomes(task, code, scratch, limits)
        state, found, detail = read_outcome(task, outcome, listing, limits)
        diagnostics, unread = await asyncio.to_thread(sort_out, task, found, code) if found else ([], [])
    return task.result(
        state,
        diagnostics,
        detail=detail,
        duration_ms=round((time.monotonic() - started) * 1000),
        refused=sorted(refused),
        unread=[one for one in unread if one.path not in refused],
    )


async def _outcomes(task: Task, code: Path, scratch: Path, limits: Limits) -> tuple[Outcome, Outcome | None]:
    """Run the program, and have it list its files: before, where the arguments follow from that."""
    analyser, program, invocation = task.analyser, task.program, task.invocation
    kept = _kept_folder(analyser) if analyser.kept_cache or analyser.compiled_rules else None
    environment = {
        **isolated_environment(scratch, program.path),
        **invocation.environment,
        **({analyser.kept_cache: str(kept)} if analyser.kept_cache and kept else {}),
    }
    parts = parts_of if analyser.reads_any_path else seen_by
    shown = [*map(Path, program.launcher), *parts(program.path.resolve())]
    writable = [kept] if kept else []
    walls = partial(walled, checkout=code, scratch=scratch, limits=limits, shown=shown, writable=writable)
    run = partial(
        run_program,
        folder=code,
        environment=environment,
        limits=limits,
        walls=walls if analyser.reads_any_path or has_walls() else None,
    )
    light = await asyncio.to_thread(_lightened, task, code)
    given = _with_compiled_rules(analyser, light, kept)
    arguments = [one.replace(CHECKOUT, str(code)) for one in given]
    if analyser.from_listing is not None:
        listing = await run([*program.command, *invocation.listing])
        more = analyser.from_listing(listing.output.decode("utf-8", errors="replace"))
        if listing.state != "exited" or listing.exit_code or not more:
            return listing, listing
        outcome = await run([*program.command, *arguments, *more])
        return replace(outcome, output=listing.output + outcome.output), listing
    outcome = await run([*program.command, *arguments])
    if invocation.listing and outcome.state == "exited":
        return outcome, await run([*program.command, *invocation.listing])
    return outcome, None


def _lightened(task: Task, code: Path) -> Sequence[str]:
    lighten = task.analyser.lighten
    if lighten is None:
        return task.arguments
    return lighten(task.arguments, task.program.version, [(code / name).read_bytes() for name in task.laid])


def _kept_folder(analyser: Analyser) -> Path | None:
    folder = cache_folder() / "compiled-rules" / analyser.name
    try:
        make_private_folder(folder)
    except OSError:
        return None
    return folder


def _with_compiled_rules(analyser: Analyser, arguments: Sequence[str], folder: Path | None) -> Sequence[str]:
    """Return the arguments with the cache folder of compiled rules, which holds nothing of a change."""
    if analyser.compiled_rules is None or folder is None:
        return arguments
    without, within = analyser.compiled_rules
    return [f"{within}{folder}" if one == without else one for one in arguments]
