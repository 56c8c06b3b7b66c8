"""`affidavit suggest`: the patch of a finding, tried before it is offered, and on demand written."""

import asyncio
import os
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import click

from affidavit.cli.change import allowed_of, repository_options
from affidavit.cli.help import LongCommand
from affidavit.cli.options import environment_options, talk_options
from affidavit.cli.outputs import exit_code
from affidavit.cli.saying import say
from affidavit.config.places import cache_folder, state_folder
from affidavit.config.settings import Settings
from affidavit.diff.redacted import as_it_leaves, redact_candidate
from affidavit.errors import InputError, OutsideError, SettingsError
from affidavit.events import ignore_events
from affidavit.git.repository import GitRepository
from affidavit.minds.roles import minds_from
from affidavit.ports import Case, Mind, Runner, Talk
from affidavit.records.candidate import Candidate
from affidavit.records.context import ContextMap
from affidavit.records.finding import Finding
from affidavit.records.plan import Plan
from affidavit.records.program_runs import PatchTrial
from affidavit.records.report import Answer, Report
from affidavit.render.safe_text import visible
from affidavit.reviewing.hold import assemble_crew
from affidavit.reviewing.models import chosen_model, opened_ledger, opened_log
from affidavit.reviewing.named import find_candidate, find_report, ids_here
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.panel import assemble_panel
from affidavit.reviewing.running import opened_runner, running_settings
from affidavit.specialists.agents.question import WrittenPatch, patch_talk, read_patch
from affidavit.stages.intake import OpenedChange, rebuild_change
from affidavit.store.open import open_store
from affidavit.suggestions.patched import Contents
from affidavit.suggestions.trial import MakeRunner, covering_tests, try_patch

MARKS = {True: "passed", False: "FAILED", None: "not tried"}
Try = Callable[[Finding], tuple[PatchTrial, Contents]]


@click.command(cls=LongCommand)
@click.argument("report")
@click.argument("finding")
@click.option("--apply", "is_applied", is_flag=True, help="Write it into the working tree, if it holds.")
@click.option("--format", "output", type=click.Choice(["text", "patch"]), default="text")
@click.option(
    "--run/--no-run",
    default=False,
    help="Also run the finding's program and the covering tests, in a sandbox.",
)
@click.option("--write", is_flag=True, help="Let the model write a patch, also where the finding has one.")
@repository_options
@environment_options
@click.option("--model", metavar="MODEL", help="PROVIDER:NAME, which writes a patch where there is none.")
@click.option("--base-url", metavar="URL", help="An OpenAI-compatible Chat Completions endpoint.")
@talk_options
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the store.")
@click.pass_context
def command(
    context: click.Context,
    /,
    report: str,
    finding: str,
    is_applied: bool,
    output: str,
    run: bool,
    repo: Path | None,
    data: Path | None,
    **options: Any,
) -> None:
    """Try the patch of FINDING in REPORT, and show it with what became of it.

    REPORT is a file of `review --format report=FILE`, the id of a kept report, or `last`.
    Where the finding has none, the model of --model writes one. It must apply to head, parse, bring no new
    analyser result, take no test away, and (with --run) settle the finding's program and pass the covering
    tests as before. What failed on record and is not tried again has failed. Exit code 0: it holds, as far as
    it was tried. 1: it failed, and is shown as text only.
    """
    store = open_store(data or state_folder())
    recorded = find_report(report, store, ids_here(store, repo, allowed_of(options)))
    candidate = find_candidate(recorded, finding)
    if candidate.finding is None:
        raise InputError("this finding was dropped by the contract: there is nothing to patch")
    with rebuild_change(recorded.change, repo, allowed_of(options)) as opened, ExitStack() as stack:
        trying = _trier(opened, stack, ReviewOptions.among(options), has_programs=run)
        claimed = candidate.finding
        if options["write"] or not _patch_of(claimed):
            claimed, trial, contents = written_patch(recorded, opened, candidate, options, trying)
        else:
            trial, contents = trying(claimed)
        patch = _patch_of(claimed)
        if patch == _patch_of(candidate.finding):
            trial = trial.after(candidate.patch_trial)
        if is_applied and trial.holds:
            write_files(opened.repository, contents)
    click.echo(_as_patch(patch, trial) if output == "patch" else _as_text(patch, trial))
    if is_applied:
        say("written into the working tree" if trial.holds else "not written")
    context.exit(exit_code(is_failed=not trial.holds, is_incomplete=False))


def _patch_of(finding: Finding) -> str:
    return (finding.verification.patch if finding.verification else None) or ""


def _trier(opened: OpenedChange, stack: ExitStack, options: ReviewOptions, *, has_programs: bool) -> Try:
    settings = running_settings(options)
    crew = assemble_crew(settings, cache_folder())
    make_runner = _runner_maker(opened.repository, stack, settings, options) if has_programs else None

    def trying(finding: Finding) -> tuple[PatchTrial, Contents]:
        return asyncio.run(
            try_patch(
                finding, opened.change, opened.repository, crew.specialists, make_runner, covering_tests
            )
        )

    return trying


def _runner_maker(
    repository: GitRepository, stack: ExitStack, settings: Settings, options: ReviewOptions
) -> MakeRunner:
    """Runners beside one over the change itself: an environment is made once, and of its base alone."""

    @cache
    def beside() -> MakeRunner:
        running = stack.enter_context(opened_runner(repository, settings, options, is_asked=True))
        if running.beside is None:
            raise InputError(f"nothing is run: {running.programs.reason if running.programs else ''}")
        return running.beside

    def make(patched: GitRepository) -> Runner:
        return beside()(patched)

    return make


def write_files(repository: GitRepository, contents: Contents) -> None:
    """Write a patch that was tried; refused where the working tree has other contents than head."""
    folder = repository.folder
    if folder is None:
        raise InputError("there is no working tree to write into")
    root = folder.resolve()
    for path in contents:
        place = root / path
        if place.is_symlink() or not place.parent.resolve().is_relative_to(root):
            raise InputError(f"{path} is a link, or lies behind one: nothing was written")
        here = place.read_bytes() if place.is_file() else None
        if here != repository.head.read(path):
            raise InputError(f"{path} differs from the head of the review: nothing was written")
    for path, content in contents.items():
        place = root / path
        if content is None:
            place.unlink()
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        # A link that was put there since is not followed.
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
        with os.fdopen(handle, "wb") as file:
            file.write(content)


def _as_patch(patch: str, trial: PatchTrial) -> str:
    if not trial.holds:
        raise InputError(
            "the patch failed: " + "; ".join(one.detail for one in trial.steps if one.passed is False)
        )
    return patch.rstrip("\n")


def _as_text(patch: str, trial: PatchTrial) -> str:
    lines = [f"{MARKS[step.passed]}: {step.name}: {step.detail}" for step in trial.steps]
    lines.append(_outcome(trial) if trial.holds else "does not hold: for reading only")
    return "\n".join(visible(line) for line in [*lines, "", *patch.splitlines()])


def _outcome(trial: PatchTrial) -> str:
    """That a patch holds, and as far as what was tried."""
    if not trial.untried:
        return "tried, and holds"
    tried = ", ".join(step.name for step in trial.steps if step.passed)
    return f"holds as far as it was tried ({tried}); not tried: {', '.join(trial.untried)}"


ATTEMPTS = 2
"""The model gets one retry and is told why its patch failed."""


def written_patch(
    report: Report, opened: OpenedChange, candidate: Candidate, options: dict[str, Any], trying: Try
) -> tuple[Finding, PatchTrial, Contents]:
    """The finding with the patch that the model wrote, and what became of it."""
    finding = candidate.finding
    if finding is None or finding.verification is None:
        raise InputError("this finding has no evidence that a patch could be written from")
    mind = _mind(ReviewOptions.among(options))
    failed: tuple[WrittenPatch, PatchTrial] | None = None
    for _ in range(ATTEMPTS):
        written = _written(mind, _talk(report, opened, candidate, failed))
        evidence = finding.verification.model_copy(update={"patch": written.patch})
        patched = finding.model_copy(update={"verification": evidence})
        trial, contents = trying(patched)
        if trial.holds:
            break
        failed = (written, trial)
    return patched, trial, contents


def _mind(options: ReviewOptions) -> Mind:
    choice = chosen_model("specialist", options)
    if choice is None:
        raise SettingsError(
            "this finding has no patch: name a model that writes one with --model PROVIDER:NAME"
        )
    return minds_from({"specialist": choice}, ledger=opened_ledger(options), log=opened_log(options))[
        "specialist"
    ]


def _talk(
    report: Report,
    opened: OpenedChange,
    candidate: Candidate,
    failed: tuple[WrittenPatch, PatchTrial] | None,
) -> Talk:
    panel = assemble_panel({}, cache_folder())
    case = as_it_leaves(Case(opened.change, opened.repository, ignore_events))
    briefing = panel.brief(case, ContextMap()).briefing
    asked = redact_candidate(candidate, opened.repository)
    if asked.finding is None:
        raise AssertionError("a finding stays one without its secrets")
    tools = panel.reading.tools(case)
    return patch_talk(briefing, report.plan or Plan(), asked, asked.finding, tools, failed)


def _written(mind: Mind, talk: Talk) -> WrittenPatch:
    answer = asyncio.run(_converse(mind, talk))
    written = read_patch(answer.text) if answer.outcome == "answered" else None
    if written is None:
        why = answer.outcome.replace("_", " ") if answer.outcome != "answered" else "its reply has no patch"
        raise OutsideError(f"the model wrote no patch: {why}: {answer.detail}".rstrip(": "))
    if not written.patch:
        raise InputError(f"the model says that no small patch settles it: {written.why[:300]}")
    return written


async def _converse(mind: Mind, talk: Talk) -> Answer:
    return await mind.converse(talk, ignore_events)
