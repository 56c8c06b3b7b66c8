"""Open the sandbox in which a review runs programs."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from affidavit.config.places import cache_folder
from affidavit.config.readers import READERS
from affidavit.config.settings import Settings
from affidavit.errors import SettingsError
from affidavit.git.repository import GitRepository
from affidavit.minds.conversation_log import ConversationLog, LogMode
from affidavit.ports import Runner
from affidavit.proof.running.runners import SANDBOX_KEY, ProgramRunner, Tally
from affidavit.records.report import Programs
from affidavit.reviewing.options import AUTO, ReviewOptions
from affidavit.sandbox.choice import choose_sandbox
from affidavit.sandbox.job import Sandbox
from affidavit.sandbox.provision import by_content, provide
from affidavit.sandbox.sides import SandboxedSides
from affidavit.stages.review import Running

if TYPE_CHECKING:
    from affidavit.sandbox.fetching import Fetched

LIMITS = ("run_seconds", "run_at_once")
ENVIRONMENT_VARIABLE = "AFFIDAVIT_ENVIRONMENT"


def running_settings(options: ReviewOptions) -> Settings:
    values = {name: _read(name, value) for name, value in options.flags.items() if name in LIMITS}
    return Settings(run=True, **values)


def _read(name: str, value: Any) -> Any:
    try:
        return READERS[name](value)
    except ValueError as error:
        raise SettingsError(f"--{name.replace('_', '-')}: {error}") from error


@contextmanager
def opened_runner(
    repository: GitRepository, settings: Settings, options: ReviewOptions, *, is_asked: bool | None = None
) -> Iterator[Running]:
    """Open the runner for a change; none if not requested, and the reason if nothing can run.

    With `--environment auto`, the packages of base's lock files are fetched first.
    """
    if not (settings.run if is_asked is None else is_asked):
        yield Running()
        return
    # A folder that cannot be shown is the user's mistake, even without a sandbox.
    provided = provide(_named(repository, options), repository.folder, repository.base)
    choice = choose_sandbox()
    if choice.sandbox is None:
        yield Running(None, Programs(reason=choice.reason, advice=choice.advice))
        return
    fetched = fetched_for(repository, options, choice.sandbox)
    for folder in fetched.folders:
        provided = by_content(folder).plus(provided)
    with SandboxedSides(
        repository,
        choice.sandbox,
        provided,
        budget_seconds=settings.run_seconds,
        at_once=settings.run_at_once,
    ) as sides:
        runner = ProgramRunner(sides.name, sides.languages, sides, notes=fetched.notes)
        yield Running(runner, Programs(sandbox=choice.sandbox.name), sides.beside)


@contextmanager
def logged_runner(
    repository: GitRepository, settings: Settings, options: ReviewOptions, log: ConversationLog
) -> Iterator[Running]:
    """Open the runner of a review that is recorded, resumed or replayed; a replay needs no sandbox."""
    if log.mode is LogMode.REPLAY and settings.run:
        recorded = ProgramRunner.replaying(log, repository)
        yield (
            _logged(Running(recorded, Programs(sandbox=recorded.name)), recorded, log)
            if recorded
            else Running(None, Programs(reason="the recorded review ran no programs"))
        )
        return
    with opened_runner(repository, settings, options) as running:
        if running.runner is None or log.mode is LogMode.OFF:
            yield running
            return
        runner = ProgramRunner.of(running.runner)
        log.append(
            SANDBOX_KEY,
            {"sandbox": runner.name, "languages": list(runner.languages), "notes": dict(runner.notes)},
        )
        yield _logged(running, runner.over(repository, runner.runner, log), log)


def _logged(running: Running, runner: ProgramRunner, log: ConversationLog) -> Running:
    """Keep the runs in the log, and those on other pairs of trees too."""

    def other(repository: GitRepository) -> Runner:
        live = running.beside(repository) if running.beside else None
        return replace(runner, tally=Tally()).over(repository, live, log)

    return replace(running, runner=runner, beside=other)


def named_environments(options: ReviewOptions) -> Sequence[Path]:
    named = [Path(name) for name in os.environ.get(ENVIRONMENT_VARIABLE, "").split(os.pathsep) if name]
    return [*options.environments] or named


def environments_for(repository: GitRepository, options: ReviewOptions) -> Sequence[Path]:
    """Return the named environments, and those that were fetched already."""
    return [*fetched_for(repository, options, None).folders, *_named(repository, options)]


def fetched_for(repository: GitRepository, options: ReviewOptions, sandbox: Sandbox | None) -> "Fetched":
    """Fetch packages if the user says so; without a sandbox, find what was fetched before."""
    from affidavit.sandbox.fetching import Fetched, Fetcher  # noqa: PLC0415 - few reviews fetch
    from affidavit.sandbox.registries import user_registries  # noqa: PLC0415

    if AUTO not in named_environments(options):
        return Fetched()
    provision = provide((), repository.folder, repository.base)
    registries = user_registries(os.environ, Path.home())
    return Fetcher(cache_folder(), provision, sandbox, registries).fetch(repository)


def _named(repository: GitRepository, options: ReviewOptions) -> Sequence[Path]:
    """Refuse environments that the repository tracks: a change could name any folder in it."""
    named = [one for one in named_environments(options) if one != AUTO]
    for one in named:
        if repository.tracks(one):
            raise SettingsError(
                f"--environment {one}: the repository tracks it, so a change could choose what programs and "
                "models see; make one outside of what is tracked"
            )
    return named
