"""Examine a change with one analyser: run it on base and head, and reply with the findings that are new."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any

from affidavit.analysers.engine.analyser import Analyser, Part
from affidavit.analysers.engine.checkouts import Checkouts
from affidavit.analysers.engine.comparison import about_changed_files, name_dialects
from affidavit.analysers.engine.execution import NO_WALLS, Limits, Slots, has_walls
from affidavit.analysers.engine.programs import find_program
from affidavit.analysers.engine.run_side import SideRunner, paths_to_run
from affidavit.analysers.engine.silence import Silence
from affidavit.analysers.engine.task import Examination, Program, ResultCache, SideResult
from affidavit.analysers.engine.wording import Proof, note_set_aside, write_finding
from affidavit.analysers.registry import WhyOff
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION
from affidavit.contract.versions import NO_PROMPT_VERSION
from affidavit.errors import GitError, InputError, OutsideError
from affidavit.events import EventName, event
from affidavit.ports import Case, Repository
from affidavit.records.change import Change
from affidavit.records.evidence import IN_NAME, AnalyserDiagnostic, AnalyserRun
from affidavit.records.record import Side
from affidavit.records.report import Gap, Reply
from affidavit.system.concurrency import second_if_needed
from affidavit.system.temporary import temporary_folder

WHOLE = Part(whole="as --whole asks")
SIDES: tuple[Side, ...] = ("base", "head")
LONGEST_COMMAND = 200
QUICK_SECONDS = 0.4
"""A run on head that takes longer than this gets one on base beside it, which may turn out to be needed."""
WALLS_ADVICE = "Allow user namespaces, as in `sysctl kernel.unprivileged_userns_clone=1`."


async def examine(
    analyser: Analyser,
    case: Case,
    why_off: WhyOff,
    cache_dir: Path | None,
    limits: Limits,
    slots: Slots,
    *,
    is_whole: bool = False,
) -> Reply:
    """Run the analyser on both sides, compare them, and reply with the findings that are new."""
    program = await find_program(analyser, case.repository.folder, cache_dir)
    if program is None:
        return _not_run(analyser, case, f"{analyser.name} is not installed", analyser.install_hint)
    if analyser.reads_any_path and not has_walls():
        return _not_run(analyser, case, f"{analyser.name} is not run: {NO_WALLS}", WALLS_ADVICE)
    try:
        cache = ResultCache(cache_dir)
        runner = SideRunner(analyser, program, case.repository, cache, limits, slots)
        if analyser.choose_part is None:
            found = await _look(runner, case, why_off)
        else:
            part = WHOLE if is_whole else await asyncio.to_thread(_chosen_part, analyser.choose_part, case)
            with temporary_folder("analyser-") as scratch:
                runner = replace(runner, part=part, checkouts=Checkouts(scratch))
                found = await _look(runner, case, why_off)
    except (OutsideError, OSError) as error:
        gap = Gap(name=analyser.name, reason=f"{analyser.name} could not be run: {error}")
        return _reply(analyser, incomplete=(gap,))
    runs = (
        about_changed_files(found.base.run, case.change),
        about_changed_files(found.head.run, case.change),
    )
    if not found.is_complete:
        return _reply(analyser, incomplete=_unfinished(runs), analyser_runs=runs)
    return _reply(
        analyser,
        text=_result_text(analyser, found, program, runner.part),
        suppressed=tuple(one.suppressed_by for one in found.counted),
        incomplete=(*_unread(analyser, found, case.change), *_unquotable(analyser, found)),
        analyser_runs=runs,
        diagnostics=note_set_aside(analyser.name, analyser.rules, found.dropped),
    )


def _chosen_part(choose: Callable[[Change, Repository], Part], case: Case) -> Part:
    try:
        return choose(case.change, case.repository)
    except (InputError, GitError):
        return Part(whole="its files could not be searched for names")


async def _look(runner: SideRunner, case: Case, why_off: WhyOff) -> Examination:
    """Run the analyser on both sides and decide what is new and what counts.

    If head is clean, nothing can be new, and base is not run, or not to its end.
    """
    analyser = runner.analyser
    called = {"sides": ["base", "head"], "version": runner.program.version}
    named = {"specialist": analyser.name, "tool": analyser.name}
    case.emit(event(EventName.TOOL_CALLED, agent="reviewer", **named, args=called))
    lifted, withdrawn = _unsilenced(analyser, case)

    def run(side: Side, own: Mapping[str, bytes] | None = None) -> Coroutine[None, None, SideResult]:
        return runner.on_side(case.change, side, {**withdrawn[side], **(own or {})})

    async def run_head() -> tuple[SideResult, SideResult]:
        head = await run("head")
        if not any(analyser.may_be_new(one, case.change) for one in head.diagnostics):
            head = replace(head, diagnostics=())
        return head, await _without_comments(runner, head, case.change, withdrawn["head"], lifted)

    reads_all = analyser.scope == "project"
    (head, unsilenced), base = await second_if_needed(
        run_head(),
        lambda: run("base"),
        partial(_needs_base, case, reads_deleted=reads_all),
        seconds=QUICK_SECONDS if reads_all else None,
    )
    base = base or _nothing_to_compare(head, case)
    if not (lifted or head.diagnostics) and base.is_complete and head.is_complete:
        has_rule = bool(analyser.syntax_rules)
        run_of_head = name_dialects(head.run, base.run, case.change, reported=(), has_rule=has_rule)
        return Examination(base, replace(head, run=run_of_head))
    from affidavit.analysers.engine.decision import add_silenced, confirm_doubtful, decide  # noqa: PLC0415 - as few find

    found = add_silenced(Examination(base, head), unsilenced)
    if not found.is_complete:
        return found

    def ask(other: Analyser, paths: Sequence[str]) -> Coroutine[None, None, SideResult]:
        return replace(runner, analyser=other).on_paths("head", paths, {**withdrawn["head"], **lifted})

    found = await confirm_doubtful(analyser, found, case.change, ask)
    decided = await asyncio.to_thread(decide, analyser, case, why_off, found)
    known = await _with_said_before(runner, found, decided, case.change, withdrawn["base"])
    if known is found or not known.is_complete:
        return decided if known is found else known
    return await asyncio.to_thread(decide, analyser, case, why_off, known)


async def _without_comments(
    runner: SideRunner,
    head: SideResult,
    change: Change,
    withdrawn: Mapping[str, bytes],
    lifted: Mapping[str, bytes],
) -> SideResult:
    """Run head again with the files that are `lifted`: only on these, if the analyser can."""
    if not lifted:
        return head
    if runner.part is None:
        return await runner.on_side(change, "head", {**withdrawn, **lifted})
    only = replace(runner, part=Part(lifted.keys()))
    found = await only.on_side(change, "head", {**withdrawn, **lifted})
    if not found.is_complete:
        return found
    read = (*(path for path in head.run.read if path not in lifted), *found.run.read)
    unread = (*(one for one in head.run.unread if one.path not in lifted), *found.run.unread)
    kept = (one for one in head.diagnostics if one.path not in lifted)
    run = head.run.model_copy(update={"read": tuple(sorted(read)), "unread": unread})
    return SideResult(run, (*kept, *found.diagnostics))


async def _with_said_before(
    runner: SideRunner,
    found: Examination,
    decided: Examination,
    change: Change,
    withdrawn: Mapping[str, bytes],
) -> Examination:
    """Add what base says in the files where it may say the same as the findings."""
    findings = [*(one.diagnostic for one in decided.counted), *decided.unquotable]
    if runner.part is None or runner.part.whole or not findings:
        return found
    base = runner.repository.base
    try:
        paths = await asyncio.to_thread(runner.analyser.saying_the_same, findings, base)
    except (InputError, GitError):
        paths = set(base.entries())
    others = replace(runner, part=Part(paths - set(runner.part.paths)))
    more = await others.on_side(change, "base", withdrawn)
    if not more.is_complete:
        return replace(found, base=more)
    said = (*found.base.diagnostics, *more.diagnostics)
    return replace(found, base=replace(found.base, diagnostics=said)) if more.diagnostics else found


def _needs_base(case: Case, found: tuple[SideResult, SideResult], *, reads_deleted: bool) -> bool:
    """Return whether base decides anything: what is new, what is another language, what was deleted."""
    head, unsilenced = found
    is_unparsed = any(one.why in ("unparsed", "foreign") for one in head.run.unread)
    is_deleted = reads_deleted and any(file.head_path is None for file in case.change.files)
    return bool(unsilenced.diagnostics) or is_unparsed or is_deleted


def _unsilenced(analyser: Analyser, case: Case) -> tuple[dict[str, bytes], dict[Side, dict[str, bytes]]]:
    """Return files without the comments that the change adds, and of each side without those of the target.

    The target is the tip of the branch, which may have removed comments of base.
    """
    # The analyser for secrets ignores such comments anyway.
    if analyser.looks_for:
        return {}, {"base": {}, "head": {}}
    change, repository = case.change, case.repository
    silence = Silence(change, repository)
    paths = {
        side: paths_to_run(analyser, change, repository.side(side), side) if repository.tip else ()
        for side in SIDES
    }
    withdrawn = {side: silence.without_removed(side, paths[side]) for side in SIDES}
    return silence.without_added(analyser.covers), withdrawn


def _unread(analyser: Analyser, found: Examination, change: Change) -> tuple[Gap, ...]:
    """Name the changed files that the analyser could not read."""
    parts = []
    for file in change.files:
        if file.head_path is None or not analyser.looks_at(file):
            continue
        if file.path in found.head.run.refused:
            reason = f"{analyser.name} did not read {file.path}: a file of this name cannot be written out"
            parts.append(Gap(name=analyser.name, reason=reason, advice="Rename the file."))
        elif (before := file.old_path or file.path) in found.base.run.refused:
            reason = f"{analyser.name} could not compare {file.path}: {before} of base cannot be written out"
            parts.append(Gap(name=analyser.name, reason=reason))
    return tuple(parts)


def _unquotable(analyser: Analyser, found: Examination) -> tuple[Gap, ...]:
    """Name the diagnostics in files without text; without a quote there is no finding."""
    return tuple(
        Gap(
            name=analyser.name,
            reason=f"{one.rule} is reported in {_named(one)}, which has no text to quote",
            advice=f"Look at the file. {analyser.rules[one.rule].suggestion}",
        )
        for one in {(one.rule, one.path): one for one in found.unquotable}.values()
    )


def _result_text(analyser: Analyser, found: Examination, program: Program, part: Part | None) -> str:
    extent = "the changed files" if analyser.scope == "file" else "all files of the repository"
    if part and not part.whole:
        extent = "the changed files, and those with names that the change affects,"
    proof = Proof(f"{analyser.name} {program.version}".strip(), f"{extent} that {analyser.name} reads")
    findings = [
        write_finding(number, counted, analyser.rules[counted.diagnostic.rule], proof)
        for number, counted in enumerate(found.counted)
    ]
    return json.dumps(
        {
            "schema_version": CURRENT_SCHEMA_VERSION,
            "prompt_version": NO_PROMPT_VERSION,
            "findings": findings,
            "meta": {"analyser": analyser.name, "analyser_version": program.version},
        }
    )


def _not_run(analyser: Analyser, case: Case, reason: str, advice: str) -> Reply:
    part = Gap(name=analyser.name, reason=reason, advice=advice)
    runs = tuple(
        AnalyserRun(
            analyser=analyser.name,
            side=side,
            tree=case.repository.side(side).revision,
            state="not_installed",
            detail=f"{part.reason}, so that nobody looked for {analyser.subject}",
        )
        for side in SIDES
    )
    return _reply(analyser, not_run=(part,), analyser_runs=runs)


def _reply(analyser: Analyser, *, text: str | None = None, **parts: Any) -> Reply:
    return Reply(specialist=analyser.name, kind="mechanical", text=text, **parts)


def _named(diagnostic: AnalyserDiagnostic) -> str:
    """Return whether the place is the file or its name."""
    return f"the name of {diagnostic.path}" if diagnostic.line == IN_NAME else diagnostic.path


def _nothing_to_compare(head: SideResult, case: Case) -> SideResult:
    changes = {
        "side": "base",
        "tree": case.repository.base.revision,
        "state": "nothing_to_do",
        "detail": "base was not run: head has nothing to compare with it",
        "refused": (),
        "command": (),
        "files": 0,
        "diagnostics": 0,
        "duration_ms": 0,
        "is_cached": False,
    }
    return SideResult(head.run.model_copy(update=changes))


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
    command = shorten(" ".join(run.command), LONGEST_COMMAND, placeholder=" …")
    return f"{more_time}Run `{command}` on the {run.side} side to see more."
