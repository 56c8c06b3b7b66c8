"""Let a verifier run the isolated analysers on one file, at base or head."""

import asyncio
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.execution import Limits
from affidavit.analysers.engine.programs import find_program
from affidavit.analysers.engine.run_side import SideRunner, paths_to_run
from affidavit.analysers.engine.task import ResultCache
from affidavit.analysers.hadolint import HADOLINT
from affidavit.analysers.oxlint import OXLINT
from affidavit.analysers.ruff import RUFF
from affidavit.analysers.shellcheck import SHELLCHECK
from affidavit.analysers.ty import TY
from affidavit.analysers.yamllint import YAMLLINT
from affidavit.analysers.zizmor import ZIZMOR
from affidavit.errors import InputError, OutsideError
from affidavit.ports import Repository
from affidavit.records.change import Change
from affidavit.records.evidence import AnalyserDiagnostic
from affidavit.records.record import Side
from affidavit.tools.arguments import Answer, ToolSet, describe, shown
from affidavit.tools.descriptions import FILE, NUMBER, SIDE
from affidavit.tools.excerpts import checked_skip, clipped, page_of, with_note
from affidavit.tools.lookup import find_file, parse_side

CHECKERS: Mapping[str, tuple[Analyser, ...]] = {
    "lint_check": (RUFF, OXLINT, SHELLCHECK, HADOLINT, ZIZMOR, YAMLLINT),
    "type_check": (TY,),
}
PURPOSES = {
    "lint_check": "What linters say about a file; silence proves nothing.",
    "type_check": "What the type checker says about a file; silence proves nothing.",
}
SILENCE = "Only rules that mean a real defect are on, so silence proves nothing."
MAX_ROWS = 100
CHECK_SECONDS = 30.0


CHECK_DESCRIPTIONS: dict[str, dict[str, Any]] = {
    name: describe(name, PURPOSES[name], {"file_path": FILE, "branch": SIDE, "skip": NUMBER}, ["file_path"])
    for name in CHECKERS
}


@dataclass(frozen=True)
class CheckResult:
    """The diagnostics of one analyser for a file, or why there are none."""

    analyser: str
    diagnostics: tuple[AnalyserDiagnostic, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class CheckLimits:
    """How long one run may take, and how many may be under way."""

    seconds: float = CHECK_SECONDS
    at_once: int = 2


class Checks(ToolSet):
    """`lint_check` and `type_check` over one change; results are cached."""

    def __init__(
        self,
        repository: Repository,
        change: Change,
        cache_dir: Path | None = None,
        *,
        analysers_off: Collection[str] = (),
        limits: CheckLimits | None = None,
        checkers: Mapping[str, Sequence[Analyser]] = CHECKERS,
    ) -> None:
        limits = limits or CheckLimits()
        on = {name: [one for one in all_ if one.name not in analysers_off] for name, all_ in checkers.items()}
        super().__init__(
            (CHECK_DESCRIPTIONS[name], partial(self._check, name, analysers))
            for name, analysers in on.items()
            if analysers
        )
        self._repository = repository.redacted
        self._change = change
        self._cache = ResultCache(cache_dir)
        self._limits = Limits(timeout_seconds=limits.seconds)
        self._turns = threading.BoundedSemaphore(limits.at_once)
        self._lock = threading.Lock()
        self._said: dict[tuple[str, Side, str], CheckResult] = {}
        self._locks: dict[tuple[str, Side, str], threading.Lock] = {}

    def _check(
        self, name: str, analysers: Sequence[Analyser], file_path: str, branch: str = "head", skip: int = 0
    ) -> Answer:
        side, skipped = parse_side(branch), checked_skip(skip)
        path = self._checkable(file_path, side)
        able = [analyser for analyser in analysers if analyser.covers(path)]
        if not able:
            raise InputError(
                f"{name} knows {_kinds(analysers)}, and {shown(path)} is none of them: "
                "read it with get_file_context instead"
            )
        said = [self._ask(analyser, path, side) for analyser in able]
        answered = [one for one in said if not one.problem]
        problems = [one.problem for one in said if one.problem]
        if not answered:
            raise InputError(f"{'; '.join(problems)}: decide from the code, without {name}")
        return _answer(path, side, answered, problems, skipped)

    def _checkable(self, file_path: str, side: Side) -> str:
        path = find_file(file_path, side, self._change, self._repository)
        file = self._change.file_at(path, side)
        if file is not None and file.is_partial:
            raise InputError(f"only hunks of {shown(path)} are known, so it cannot be checked: read the diff")
        return path

    def _ask(self, analyser: Analyser, path: str, side: Side) -> CheckResult:
        """Return the cached result or run the analyser; equal questions at the same time share one run."""
        # An analyser of whole projects is run once for a side, whatever file is asked about.
        key = (analyser.name, side, "" if analyser.scope == "project" else path)
        with self._lock:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._said:
                with self._turns:
                    self._said[key] = asyncio.run(self._run(analyser, path, side))
            said = self._said[key]
        about = tuple(one for one in said.diagnostics if one.path == path)
        return CheckResult(said.analyser, about, said.problem)

    async def _run(self, analyser: Analyser, path: str, side: Side) -> CheckResult:
        try:
            program = await find_program(analyser, self._repository.folder)
            if program is None:
                return CheckResult(analyser.name, problem=f"{analyser.name} is not installed here")
            tree = self._repository.side(side)
            is_whole = analyser.scope == "project"
            paths = paths_to_run(analyser, self._change, tree, side) if is_whole else [path]
            runner = SideRunner(analyser, program, self._repository, self._cache, self._limits)
            result = await runner.on_paths(side, paths)
        except (OutsideError, OSError) as error:
            return CheckResult(analyser.name, problem=f"{analyser.name} could not be run: {error}")
        if not result.is_complete:
            return CheckResult(analyser.name, problem=result.run.detail or f"{analyser.name} did not finish")
        name = f"{analyser.name} {program.version}".strip()
        return CheckResult(name, tuple(sorted(result.diagnostics, key=lambda one: (one.line, one.rule))))


def _kinds(analysers: Sequence[Analyser]) -> str:
    patterns = dict.fromkeys(pattern for analyser in analysers for pattern in analyser.patterns)
    return ", ".join(patterns)


def _answer(path: str, side: Side, said: Sequence[CheckResult], problems: Sequence[str], skip: int) -> Answer:
    rows = sorted((one.line, one.rule, one.message) for each in said for one in each.diagnostics)
    page, cut = page_of(rows, skip, MAX_ROWS, "diagnostics", "")
    notes = [cut, *problems, "" if rows else f"nothing is reported for this file. {SILENCE}"]
    answer: Answer = {
        "file_path": path,
        "branch": side,
        "checked_by": [one.analyser for one in said],
        "diagnostics": [f"{line}: {rule}: {clipped(message)}" for line, rule, message in page],
    }
    return with_note(answer, *notes)
