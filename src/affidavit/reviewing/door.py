"""Review a change, or recheck a report: for the command line, and for programs that import `affidavit`."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from affidavit.config.settings import Settings
from affidavit.errors import InputError, SettingsError
from affidavit.events import Emit, ignore_events
from affidavit.ports import Specialist
from affidavit.proof.running.own_names import own_names
from affidavit.rechecking.check import Rechecked, without_commands
from affidavit.rechecking.check import recheck as derive_again
from affidavit.rechecking.programs import run_again, try_again
from affidavit.records.report import Report
from affidavit.reviewing.hold import assemble_crew, hold, open_target, patch_trier, read_config, settings_for
from affidavit.reviewing.keeping import keep_review
from affidavit.reviewing.models import models_of
from affidavit.reviewing.named import read_report, report_file
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.running import environments_for, opened_runner, running_settings
from affidavit.reviewing.series import followed_by
from affidavit.stages.intake import ChangeRequest, OpenedChange, rebuild_change

_LOG = logging.getLogger("affidavit")


def review(
    target: str | None = None,
    *,
    repo: Path | str | None = None,
    staged: bool = False,
    title: str = "",
    description: str = "",
    options: ReviewOptions | None = None,
    emit: Emit = ignore_events,
) -> Report:
    """Review a change like `affidavit review`: a range, a commit, a diff file, the address of a pull request.

    Without a target: the uncommitted changes. Warnings go to the logger `affidavit`.
    """
    _refuse_event_loop("review")
    return asyncio.run(
        review_async(
            target,
            repo=repo,
            staged=staged,
            title=title,
            description=description,
            options=options,
            emit=emit,
        )
    )


async def review_async(
    target: str | None = None,
    *,
    repo: Path | str | None = None,
    staged: bool = False,
    title: str = "",
    description: str = "",
    options: ReviewOptions | None = None,
    emit: Emit = ignore_events,
) -> Report:
    """Review like `review`, for callers inside an event loop."""
    options = _checked(options)
    if not isinstance(target, str | None):
        raise InputError(f"the target must be text, such as main...topic, not {type(target).__name__}")
    request = ChangeRequest(
        target=target,
        staged=staged,
        repo=Path(repo) if repo else None,
        title=title,
        description=description,
        may_be_empty=True,
    )
    with await asyncio.to_thread(open_target, request, has_full_history=bool(options.model)) as opened:
        settings = settings_for(opened, options, read_config(options.config))
        has_models = bool(opened.change.files and models_of(settings, options))
        chosen = None
        if has_models:
            from affidavit.reviewing.prompts import prompts_for  # noqa: PLC0415 - only models need prompts

            chosen = prompts_for(opened, options, _LOG.warning)
        followed = followed_by(opened, options, _LOG.warning)
        prompts = chosen.prompts if chosen else None
        report = await hold(opened, settings, options, prompts, emit, earlier=followed.earlier)
    return keep_review(report, followed, chosen, options, _LOG.warning)


def recheck(
    report: Report | Path | str,
    *,
    repo: Path | str | None = None,
    run: bool = False,
    options: ReviewOptions | None = None,
) -> Rechecked:
    """Derive a report again from its repository, like `affidavit recheck`, and compare the whole.

    `report` is a report, its file, its id or `last`. With `run`, its programs and patches run again.
    """
    _refuse_event_loop("recheck")
    return asyncio.run(recheck_async(report, repo=repo, run=run, options=options))


async def recheck_async(
    report: Report | Path | str,
    *,
    repo: Path | str | None = None,
    run: bool = False,
    options: ReviewOptions | None = None,
) -> Rechecked:
    """Recheck like `recheck`, for callers inside an event loop."""
    folder = Path(repo) if repo else None
    if not isinstance(report, Report):
        with report_file(str(report), repo=folder) as file:
            report = read_report(file)
    with await asyncio.to_thread(rebuild_change, report.change, folder) as opened:
        return await recheck_opened(report, opened, _checked(options), runs_programs=run)


async def recheck_opened(
    report: Report, opened: OpenedChange, options: ReviewOptions, *, runs_programs: bool
) -> Rechecked:
    """Recheck a report whose change is open; with `runs_programs` its programs and patches run again."""
    named = environments_for(opened.repository, options)
    done = await derive_again(report, opened, _mechanical, runs_programs=runs_programs, environments=named)
    if not runs_programs:
        return done
    with opened_runner(opened.repository, running_settings(options), options, is_asked=True) as running:
        reason = running.programs.reason if running.programs else ""
        # A report must not name a command that is then run.
        settings = without_commands(Settings.model_validate(report.settings))
        trying = patch_trier(opened, assemble_crew(settings, cache_dir=None), running)
        tried = await try_again(report, trying, reason)
        ran = await asyncio.to_thread(run_again, report, running.runner, own_names(opened.repository), reason)
    return replace(done, proofs=(*done.proofs, *ran, *tried))


def _checked(options: ReviewOptions | None) -> ReviewOptions:
    if not isinstance(options, ReviewOptions | None):
        raise SettingsError(f"options must be ReviewOptions(…), not {type(options).__name__}")
    return options or ReviewOptions()


def _refuse_event_loop(name: str) -> None:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise InputError(f"{name}() cannot run inside an event loop, such as a notebook's; await {name}_async()")


def _mechanical(settings: Settings) -> Sequence[Specialist]:
    return assemble_crew(settings, cache_dir=None).specialists
