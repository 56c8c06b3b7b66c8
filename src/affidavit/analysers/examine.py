"""A specialist around an analyser: what the change makes new, handed in as a `ReviewResult`."""

import asyncio
import json
import time
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from affidavit.analysers.analyser import Analyser, Inspection
from affidavit.analysers.causes import exact_cause, find_cause
from affidavit.analysers.comparison import (
    about_changed_files,
    new_diagnostics,
    not_at_base,
    one_for_each_cause,
    unparsed,
    unresolved,
    unsure_about,
)
from affidavit.analysers.examination import (
    Counted,
    Examination,
    confirm_doubtful,
    louder,
    place_of,
    schema_for,
    weigh_excuses,
    without_secrets,
)
from affidavit.analysers.excuses import excuse_of_place
from affidavit.analysers.execution import NO_WALLS, Limits, Slots, has_walls
from affidavit.analysers.own_fixes import patch_of
from affidavit.analysers.registry import ANALYSERS, silence_about
from affidavit.analysers.rule import WhyOff, nothing_is_off
from affidavit.analysers.run_side import analyse_paths, analyse_side, find_program, paths_to_run
from affidavit.analysers.silence import Silence
from affidavit.analysers.task import Program, ResultCache, SideResult
from affidavit.analysers.wording import Proof, note_set_aside, shortened, write_finding
from affidavit.contract.versions import NO_PROMPT_VERSION
from affidavit.errors import OutsideError
from affidavit.events import EventName, event
from affidavit.ports import Case, Repository
from affidavit.records.candidate import SpecialistKind
from affidavit.records.change import Change, FileChange
from affidavit.records.evidence import IN_NAME, AnalyserDiagnostic, AnalyserRun
from affidavit.records.record import Side
from affidavit.records.report import Gap, Reply
from affidavit.symbols.changed import changed_symbols
from affidavit.system.concurrency import side_by_side

WALLS_ADVICE = "Allow user namespaces, as in `sysctl kernel.unprivileged_userns_clone=1`."


class MechanicalSpecialist:
    """Runs one analyser on base and head and reports what is new."""

    kind: SpecialistKind = "mechanical"

    def __init__(
        self,
        analyser: Analyser,
        *,
        cache_dir: Path | None = None,
        limits: Limits | None = None,
        why_off: WhyOff = nothing_is_off,
        slots: Slots | None = None,
    ) -> None:
        self.name = analyser.name
        self.analyser = analyser
        self._cache = ResultCache(cache_dir)
        self._limits = limits or Limits()
        self._why_off = why_off
        self._slots = slots

    def examines(self, file: FileChange) -> bool:
        """Whether the analyser reads the file, and for more than one narrow thing."""
        return self.analyser.reads_for_meaning and self._looks_at(file)

    def _looks_at(self, file: FileChange) -> bool:
        if self.analyser.reads_every_line:
            return not file.is_submodule and self.analyser.covers(file.path)
        is_unknown = file.is_partial or file.is_binary or file.is_submodule or file.is_link
        is_known = not (is_unknown or file.skipped)
        return is_known and self.analyser.covers(file.path)

    async def examine(self, case: Case) -> Reply:
        """Run both sides, compare them, and hand in what counts."""
        started = time.monotonic()
        if not any(self._looks_at(file) for file in case.change.files):
            return self._reply(started, None)
        program = await find_program(self.analyser, case.repository.folder)
        if program is None:
            return self._not_run(started, case, f"{self.name} is not installed", self.analyser.install_hint)
        if self.analyser.reads_any_path and not has_walls():
            return self._not_run(started, case, f"{self.name} is not run: {NO_WALLS}", WALLS_ADVICE)
        try:
            found = await self.look(case, program)
        except (OutsideError, OSError) as error:
            part = Gap(name=self.name, reason=f"{self.name} could not be run: {error}")
            return self._reply(started, None, incomplete=(part,))
        runs = (
            about_changed_files(found.base.run, case.change),
            about_changed_files(found.head.run, case.change),
        )
        if not found.is_complete:
            return self._reply(started, None, incomplete=_unfinished(runs), analyser_runs=runs)
        text = self._result_text(found, program)
        unread = (*self._unread(found, case.change), *self._unquotable(found))
        return self._reply(
            started,
            text,
            suppressed=tuple(one.suppressed_by for one in found.counted),
            incomplete=unread,
            analyser_runs=runs,
            diagnostics=note_set_aside(self.name, self.analyser.rules, found.dropped),
        )

    def _unread(self, found: Examination, change: Change) -> tuple[Gap, ...]:
        """The changed files that the analyser could not be given: its silence says nothing about them."""
        parts = []
        for file in change.files:
            if file.head_path is None or not self._looks_at(file):
                continue
            if file.path in found.head.run.refused:
                reason = f"{self.name} did not read {file.path}: a file of this name cannot be written out"
                parts.append(Gap(name=self.name, reason=reason, advice="Rename the file."))
            elif (before := file.old_path or file.path) in found.base.run.refused:
                reason = f"{self.name} could not compare {file.path}: {before} of base cannot be written out"
                parts.append(Gap(name=self.name, reason=reason))
        return tuple(parts)

    def _unquotable(self, found: Examination) -> tuple[Gap, ...]:
        """What was found where a finding has nothing to quote; without a quote there is no finding."""
        return tuple(
            Gap(
                name=self.name,
                reason=f"{one.rule} is reported in {_named(one)}, which has no text to quote",
                advice=f"Look at the file. {self.analyser.rules[one.rule].suggestion}",
            )
            for one in {(one.rule, one.path): one for one in found.unquotable}.values()
        )

    async def look(self, case: Case, program: Program, *, use_cache: bool = True) -> Examination:
        """Run the analyser on both sides and decide what is new and what counts.

        A quick one is run on head first: where head is clean, nothing can be new, and base is spared.
        """
        cache = self._cache if use_cache else ResultCache(None)
        case.emit(
            event(
                EventName.TOOL_CALLED,
                agent="reviewer",
                specialist=self.name,
                tool=self.name,
                args={"sides": ["base", "head"], "version": program.version},
            )
        )
        means: dict[str, Any] = {"cache": cache, "limits": self._limits, "slots": self._slots}

        withdrawn: dict[Side, dict[str, bytes]] = {
            "base": self._without_withdrawn(case, "base"),
            "head": self._without_withdrawn(case, "head"),
        }

        def run(side: Side, own: Mapping[str, bytes] | None = None) -> Coroutine[None, None, SideResult]:
            rewritten = {**withdrawn[side], **(own or {})}
            return analyse_side(
                self.analyser, program, case.change, case.repository, side, rewritten=rewritten, **means
            )

        lifted = self._lifted(case)
        if self.analyser.scope == "project":
            base, head = await side_by_side([run("base"), run("head")])
            loud = await run("head", lifted) if lifted else head
        else:
            head = await run("head")
            loud = await run("head", lifted) if lifted else head
            is_needed = loud.diagnostics or head.run.unread
            base = await run("base") if is_needed else _nothing_to_compare(head, case)
        found = louder(Examination(base, head), loud)
        if not found.is_complete:
            return found

        def ask(other: Analyser, paths: Sequence[str]) -> Coroutine[None, None, SideResult]:
            rewritten = {**withdrawn["head"], **lifted}
            return analyse_paths(other, program, case.repository, "head", paths, rewritten=rewritten, **means)

        found = await confirm_doubtful(self.analyser, found, case.change, ask)
        return await asyncio.to_thread(self._compare, found, case)

    def _compare(self, found: Examination, case: Case) -> Examination:
        change, repository = case.change, case.repository
        before = one_for_each_cause(self.analyser, found.base.diagnostics, repository.base)
        after = one_for_each_cause(self.analyser, found.head.diagnostics, repository.head)
        counted = self._counted(before, case, is_before=True)
        new = self._new(before, counted, after, case)
        if not new:
            return found.without_dialects(self.analyser, change)
        symbols = changed_symbols(change, repository, self.analyser.defines_in)
        silence = silence_about(change, repository)
        known = self._counted(found.base.diagnostics, case, is_before=True)
        inspection = Inspection(
            change,
            repository,
            symbols,
            known,
            unresolved(found.head.run),
            unresolved(found.base.run),
            found.confirmed,
        )
        decided = [(one, self._heard(one, inspection, found, silence)) for one in new]
        head = repository.head
        return replace(
            found,
            counted=tuple(
                outcome.without_secrets(head) for _, outcome in decided if isinstance(outcome, Counted)
            ),
            dropped=tuple(
                (without_secrets(one, head), head.without_secrets(one.path, why))
                for one, why in decided
                if isinstance(why, str)
            ),
            unquotable=tuple(diagnostic for diagnostic, outcome in decided if outcome is None),
        ).without_dialects(self.analyser, change)

    def _counted(
        self, found: Sequence[AnalyserDiagnostic], case: Case, *, is_before: bool = False
    ) -> list[AnalyserDiagnostic]:
        """Those whose rule counts in their file, and, of base, whose file was looked at."""
        unseen: set[str] = set()
        if is_before and not self.analyser.reads_every_line:
            files = case.change.files
            unseen = {file.old_path or file.path for file in files if file.skipped or file.was_skipped}

        @cache
        def counts(rule: str, path: str) -> bool:
            return path not in unseen and self._excuse_of_place(rule, path, case.repository) is None

        return [one for one in found if counts(one.rule, one.path)]

    def _new(
        self,
        before: Sequence[AnalyserDiagnostic],
        counted: Sequence[AnalyserDiagnostic],
        after: Sequence[AnalyserDiagnostic],
        case: Case,
    ) -> list[AnalyserDiagnostic]:
        """The diagnostics of head that base does not excuse: one that counts, only by one that counted."""

        def compare(
            old: Sequence[AnalyserDiagnostic], new: Sequence[AnalyserDiagnostic]
        ) -> list[AnalyserDiagnostic]:
            if self.analyser.identify:
                return not_at_base(old, new, case.repository, self.analyser.identify)
            return new_diagnostics(old, new, case.change, case.repository)

        if len(counted) == len(before):
            return compare(before, after)
        counting = self._counted(after, case)
        known = {id(one) for one in counting}
        others = [one for one in after if id(one) not in known]
        new = {id(one) for one in (*compare(before, others), *compare(counted, counting))}
        return [one for one in after if id(one) in new]

    def _excuse_of_place(self, rule_id: str, path: str, repository: Repository) -> str | None:
        """Why a rule says nothing about a file, by its path and the settings."""
        rule = self.analyser.rules.get(rule_id)
        if rule is None:
            return "the rule is off"
        off = self._why_off(rule_id, path)
        if off is not None:
            return off
        if not rule.counts_at(path):
            return "the rule does not count in tests or examples"
        return excuse_of_place(rule, path, self.analyser, repository)

    def _lifted(self, case: Case) -> dict[str, bytes]:
        """The files with comments that the change adds for this analyser, without their effect."""
        # What looks for secrets is told to ignore such comments anyway.
        if self.analyser.looks_for:
            return {}
        return silence_about(case.change, case.repository).lifted(self.analyser.covers)

    def _without_withdrawn(self, case: Case, side: Side) -> dict[str, bytes]:
        """Return the files of a side with comments that the target has removed, without their effect."""
        if self.analyser.looks_for or case.repository.tip is None:
            return {}
        paths = paths_to_run(self.analyser, case.change, case.repository.side(side), side)
        return silence_about(case.change, case.repository).without_withdrawn(side, paths)

    def _heard(
        self, diagnostic: AnalyserDiagnostic, inspection: Inspection, found: Examination, silence: Silence
    ) -> Counted | str | None:
        """The finding, with the comment of the change that silences it, or the reason why there is none."""
        outcome = self._count(diagnostic, inspection, found)
        if not isinstance(outcome, Counted) or self.analyser.looks_for:
            return outcome
        lines = range(diagnostic.line, (diagnostic.end_line or diagnostic.line) + 1)
        counted_before = self._counted_before(diagnostic, inspection)
        asked = silence.before(diagnostic.rule, diagnostic.path, lines, counted_before=counted_before)
        if asked is not None:
            return asked
        brought = silence.brought(diagnostic.rule, diagnostic.path, lines)
        if brought is not None:
            return replace(outcome, suppressed_by=f"line {brought.line}: {brought.text}")
        is_silenced = place_of(diagnostic) in found.silenced
        by = silence.nearest(diagnostic.path, diagnostic.line) if is_silenced else outcome.suppressed_by
        return replace(outcome, suppressed_by=by)

    def _counted_before(self, diagnostic: AnalyserDiagnostic, inspection: Inspection) -> bool:
        file = inspection.change.file_at(diagnostic.path)
        if file is None or not file.came_from:
            return True
        before = file.old_path or file.path
        excuse = self._excuse_of_place(diagnostic.rule, before, inspection.repository)
        return excuse is None and not file.was_skipped

    def _count(
        self, diagnostic: AnalyserDiagnostic, inspection: Inspection, found: Examination
    ) -> Counted | str | None:
        """The finding, or the reason why there is none; None where it cannot be quoted."""
        excuse = self._excuse(diagnostic, inspection, found)
        if excuse is not None:
            return excuse
        # What is quoted is written down and sent to models, so it is cut from the file without secrets.
        lines = inspection.repository.head.redacted_lines(diagnostic.path)
        if not lines and not self.analyser.reads_every_line:
            return "the file has no text to quote"
        weighed = weigh_excuses(diagnostic, self.analyser, inspection, found.base.run)
        if weighed.dropped or not lines:
            return weighed.dropped
        outcome = self._with_cause(diagnostic, lines, inspection, found)
        return outcome if isinstance(outcome, str) else replace(outcome, suppressed_by=weighed.withheld_by)

    def _excuse(
        self, diagnostic: AnalyserDiagnostic, inspection: Inspection, found: Examination
    ) -> str | None:
        """Why a new diagnostic does not count, whatever the analyser's own judge would say."""
        of_place = self._excuse_of_place(diagnostic.rule, diagnostic.path, inspection.repository)
        if of_place is not None:
            return of_place
        file = inspection.change.file_at(diagnostic.path)
        if file is None:
            return None
        if not self._looks_at(file) or file.old_path in found.base.run.refused:
            return "the file is not read, or could not be read at base"
        if file.came_from:
            return None
        is_fault = diagnostic.rule in self.analyser.syntax_rules
        return unsure_about(diagnostic, file, found.base.run, is_fault=is_fault)

    def _with_cause(
        self,
        diagnostic: AnalyserDiagnostic,
        lines: Sequence[str],
        inspection: Inspection,
        found: Examination,
    ) -> Counted | str:
        is_changed = inspection.change.file_at(diagnostic.path) is not None
        # Who reads each file by itself says nothing that another file could be to blame for.
        reads_all = self.analyser.scope == "project"
        broken = unparsed(found.head.run) - {diagnostic.path} if reads_all else set()
        cause = None
        if broken or not is_changed:
            cause = find_cause(diagnostic, lines, inspection, by_any_word=not is_changed)
        if cause is not None and cause.cause.file in broken:
            return f"it goes back to {cause.cause.file}, which does not parse"
        if cause is None and not is_changed:
            return (
                "the change does not touch this file, and no part of the change could be named as the cause"
            )
        patch = patch_of(diagnostic, inspection.repository.head)
        if is_changed:
            cause = exact_cause(diagnostic, lines, inspection, elsewhere=reads_all)
        return Counted(diagnostic, tuple(lines), cause, patch, is_impact=not is_changed)

    def _result_text(self, found: Examination, program: Program) -> str:
        extent = "the changed files" if self.analyser.scope == "file" else "all files of the repository"
        proof = Proof(f"{self.name} {program.version}".strip(), f"{extent} that {self.name} reads")
        findings = [
            write_finding(
                number,
                counted.diagnostic,
                self.analyser.rules[counted.diagnostic.rule],
                counted.lines,
                proof=proof,
                cause=counted.cause,
                is_impact=counted.is_impact,
                patch=counted.patch,
            )
            for number, counted in enumerate(found.counted)
        ]
        return json.dumps(
            {
                "schema_version": schema_for(found),
                "prompt_version": NO_PROMPT_VERSION,
                "findings": findings,
                "meta": {"analyser": self.name, "analyser_version": program.version},
            }
        )

    def _not_run(self, started: float, case: Case, reason: str, advice: str) -> Reply:
        part = Gap(name=self.name, reason=reason, advice=advice)
        runs = tuple(
            AnalyserRun(
                analyser=self.name,
                side=side,
                tree=case.repository.side(side).revision,
                state="not_installed",
                detail=f"{part.reason}, so that nobody looked for {self.analyser.subject}",
            )
            for side in ("base", "head")
        )
        return self._reply(started, None, not_run=(part,), analyser_runs=runs)

    def _reply(self, started: float, text: str | None, **parts: Any) -> Reply:
        duration_ms = round((time.monotonic() - started) * 1000)
        return Reply(specialist=self.name, kind=self.kind, text=text, duration_ms=duration_ms, **parts)


def _named(diagnostic: AnalyserDiagnostic) -> str:
    """Where it stands: in the file, or in its very name."""
    return f"the name of {diagnostic.path}" if diagnostic.line == IN_NAME else diagnostic.path


def _nothing_to_compare(head: SideResult, case: Case) -> SideResult:
    detail = "base was not run: head has nothing to compare with it"
    changes = {
        "side": "base",
        "tree": case.repository.base.revision,
        "state": "nothing_to_do",
        "detail": detail,
    }
    spared = {"refused": (), "command": (), "files": 0, "duration_ms": 0, "is_cached": False}
    return SideResult(head.run.model_copy(update={**changes, **spared}))


def _unfinished(runs: Sequence[AnalyserRun]) -> tuple[Gap, ...]:
    return tuple(
        Gap(
            name=run.analyser,
            reason=run.detail or f"{run.analyser} on {run.side}: {run.state}",
            advice=_advice(run),
        )
        for run in runs
        if run.state not in ("completed", "nothing_to_do")
    )


def _advice(run: AnalyserRun) -> str:
    more_time = "Give it more time with `--analyser-timeout-seconds`. " if run.state == "timed_out" else ""
    return f"{more_time}Run `{shortened(run.command)}` on the {run.side} side to see more."


def mechanical_specialists(
    *,
    cache_dir: Path | None = None,
    timeout_seconds: float = 120.0,
    disabled: frozenset[str] = frozenset(),
    why_off: WhyOff = nothing_is_off,
    linters: Sequence[Analyser] = (),
    programs: Mapping[str, str] | None = None,
) -> list[MechanicalSpecialist]:
    """One specialist for each analyser that is not disabled, and for each of the user's own linters.

    `programs` has the program of an analyser where the user names one.
    """
    slots = Slots()
    named = programs or {}
    return [
        MechanicalSpecialist(
            replace(analyser, executable=named[analyser.name]) if analyser.name in named else analyser,
            cache_dir=cache_dir,
            limits=Limits(timeout_seconds=timeout_seconds),
            why_off=why_off,
            slots=slots,
        )
        for analyser in (*ANALYSERS, *linters)
        if analyser.name not in disabled
    ]
