"""Open a change, and review it under its settings and the user's options."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from affidavit.analysers.engine.execution import find_executable
from affidavit.analysers.engine.specialist import mechanical_specialists
from affidavit.analysers.engine.user_linters import UnallowedLinters, user_linters
from affidavit.analysers.references.specialist import BrokenReferences
from affidavit.analysers.rulebook import why_rules_are_off
from affidavit.config.places import cache_folder
from affidavit.config.settings import ENVIRONMENT_PREFIX, Settings, load_settings
from affidavit.errors import SettingsError
from affidavit.events import Emit, ignore_events
from affidavit.forges.address import is_request_url, named_commits, parse_change_url, refuse_without_scheme
from affidavit.minds.conversation_log import ConversationLog
from affidavit.pipeline import review
from affidavit.ports import Mind, Role, Specialist, TryPatch
from affidavit.prompts import PromptSet
from affidavit.records.candidate import Candidate
from affidavit.records.iteration import Earlier
from affidavit.records.program_runs import TrialStep
from affidavit.records.report import Report
from affidavit.reviewing.models import opened_log
from affidavit.reviewing.options import ReviewOptions, Say
from affidavit.stages.intake import ChangeRequest, OpenedChange, open_change
from affidavit.stages.review import Crew, Running

if TYPE_CHECKING:
    from affidavit.quality.prompts import ChosenPrompts


@dataclass(frozen=True)
class Given:
    """Parts made by the caller, used instead of those that the options name."""

    log: ConversationLog
    minds: Mapping[Role, Mind] | None
    review_id: str = ""
    began: float | None = None
    """In seconds since the epoch; a review that another process began keeps its start."""


def assemble_crew(settings: Settings, cache_dir: Path | None) -> Crew:
    """Return the analysers and checks that these settings allow."""
    why_off = why_rules_are_off(settings)
    compiler = named_compiler(settings, None)
    disabled = frozenset(settings.analysers_off)
    linters = user_linters(linter for linter in settings.linters if linter.name not in disabled)
    specialists: list[Specialist] = [
        *mechanical_specialists(
            cache_dir=cache_dir,
            timeout_seconds=settings.analyser_timeout_seconds,
            disabled=disabled,
            why_off=why_off,
            linters=linters if settings.allow_linters else (),
            programs={"tsc": str(compiler)} if compiler else {},
            is_whole=settings.whole,
        )
    ]
    if linters and not settings.allow_linters:
        specialists.append(UnallowedLinters(linters))
    if BrokenReferences.name not in disabled:
        specialists.append(BrokenReferences(cache_dir=cache_dir, why_off=why_off))
    return Crew(specialists)


def named_compiler(settings: Settings, reviewed_folder: Path | None) -> Path | None:
    """Return the tsc that the user names, if any; raise SettingsError for one that cannot be used."""
    program = settings.typescript_server
    found = find_executable(program, reviewed_folder=reviewed_folder) if program else None
    if program and found is None:
        raise SettingsError(
            f"{program} cannot be used as tsc. Give --typescript-server or "
            f"{ENVIRONMENT_PREFIX}TYPESCRIPT_SERVER the absolute path of a program outside the reviewed "
            "repository, or a name on PATH."
        )
    return found


def open_target(
    request: ChangeRequest, *, has_full_history: bool = False, say: Say = lambda _text: None
) -> OpenedChange:
    """Open a local change, or read and fetch the pull request at its address. The caller closes it."""
    if request.target is None or not is_request_url(request.target):
        refuse_without_scheme(request.target)
        return open_change(request)
    from affidavit.forges.choice import ask_forge  # noqa: PLC0415 - few ask a forge
    from affidavit.forges.credentials import find_credentials  # noqa: PLC0415
    from affidavit.forges.opening import FetchContext, UserText, open_pull_request  # noqa: PLC0415

    for name in ("staged", "repo"):
        if getattr(request, name):
            raise SettingsError(f"{name} does not go with the address of a pull request")
    address = parse_change_url(request.target)
    credentials = find_credentials(address.host)
    say(f"reading {address.url}{'' if credentials.token else ' without a token'}")
    pull = asyncio.run(ask_forge(address, credentials, lambda forge: forge.read()))
    if commits := named_commits(request.target):
        # Such as those of a merge queue, which merges a request into what is queued before it.
        pull = pull.model_copy(update={"bases": commits[:1], "head": commits[1]})
    words = UserText(title=request.title, description=request.description, discussion=request.discussion)
    return open_pull_request(pull, FetchContext(credentials), words, has_full_history=has_full_history)


def read_config(path: Path | None) -> tuple[str, bytes] | None:
    """Read a settings file that the user names."""
    if path is None:
        return None
    try:
        return str(path), path.read_bytes()
    except OSError as error:
        raise SettingsError(f"--config: {path}: {error.strerror}") from error


def settings_for(
    opened: OpenedChange,
    options: ReviewOptions,
    config: tuple[str, bytes] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Settings:
    """Load the settings of base or the named file, then of the environment, then of options."""
    repository = opened.repository
    settings = load_settings(repository.base, environment, options.flags, config, repository.tip)
    named_compiler(settings, repository.folder)
    return settings


def hold_review(
    opened: OpenedChange,
    settings: Settings,
    options: ReviewOptions,
    chosen: "ChosenPrompts | None",
    emit: Emit = ignore_events,
    *,
    earlier: Earlier | None = None,
) -> Report:
    """Review the change; without chosen prompts no model looks. Not for a thread with an event loop."""
    prompts = chosen.prompts if chosen else None
    return asyncio.run(hold(opened, settings, options, prompts, emit, earlier=earlier))


async def hold(
    opened: OpenedChange,
    settings: Settings,
    options: ReviewOptions,
    prompts: PromptSet | None,
    emit: Emit = ignore_events,
    *,
    earlier: Earlier | None = None,
    given: Given | None = None,
) -> Report:
    """Review like `hold_review`, for callers inside an event loop."""
    cache = None if options.no_cache else cache_folder()
    log, minds = (given.log, given.minds) if given else (_log_of(options, prompts), None)
    with _programs(opened, settings, options, log) as running:
        crew = replace(
            assemble_crew(settings, cache),
            probes_verifier=True,
            runner=running.runner,
            programs=running.programs,
        )
        crew = replace(crew, try_patch=patch_trier(opened, crew, running))
        if prompts is not None and opened.change.files:
            from affidavit.reviewing.panel import chosen_panel, connected  # noqa: PLC0415 - only models need it

            panel = chosen_panel(opened, settings, options, cache, prompts, minds, log)
            crew = replace(crew, panel=panel)
        reviewing = review(
            opened.change,
            opened.repository,
            settings,
            crew,
            emit,
            earlier if opened.change.files else None,
            review_id=given.review_id if given else "",
            began=given.began if given else None,
        )
        return await (connected(panel, reviewing) if crew.panel else reviewing)


def _programs(
    opened: OpenedChange, settings: Settings, options: ReviewOptions, log: ConversationLog
) -> AbstractContextManager[Running]:
    if not settings.run:
        return nullcontext(Running())
    from affidavit.reviewing.running import logged_runner  # noqa: PLC0415 - few reviews run programs

    return logged_runner(opened.repository, settings, options, log)


def _log_of(options: ReviewOptions, prompts: PromptSet | None) -> ConversationLog:
    if prompts is None and options.replay:
        raise SettingsError("--replay needs the model that was recorded: name it with --model")
    return opened_log(options) if prompts is not None else ConversationLog()


def patch_trier(opened: OpenedChange, crew: Crew, running: Running) -> TryPatch | None:
    """Return the function that tries patches; None if programs are not run."""
    if running.beside is None:
        return None
    # Few reviews have patches.
    from affidavit.reviewing.patch_trial import covering_tests, try_patch  # noqa: PLC0415

    async def try_one(candidate: Candidate) -> tuple[TrialStep, ...]:
        trial, _ = await try_patch(
            candidate.claim,
            opened.change,
            opened.repository,
            crew.specialists,
            running.beside,
            covering_tests,
            candidate.reproduction,
        )
        return trial.steps

    return try_one
