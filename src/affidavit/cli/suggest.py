"""`affidavit suggest`: try the patch of a finding, show it, and apply it on request."""

import asyncio
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from affidavit.cli.change import allowed_of
from affidavit.cli.help import LongCommand
from affidavit.cli.options import data_option, environment_options, repository_options
from affidavit.cli.outputs import exit_code
from affidavit.cli.saying import say
from affidavit.config.places import cache_folder, state_folder
from affidavit.config.settings import Settings
from affidavit.errors import InputError
from affidavit.git.patches import Contents
from affidavit.git.repository import GitRepository
from affidavit.ports import Runner
from affidavit.records.finding import Finding
from affidavit.records.program_runs import PatchTrial
from affidavit.render.safe_text import visible
from affidavit.reviewing.hold import assemble_crew
from affidavit.reviewing.named import find_candidate, find_report, ids_here
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.patch_trial import MakeRunner, covering_tests, try_patch
from affidavit.reviewing.regression_test import Guard, write_guard
from affidavit.reviewing.running import opened_runner, running_settings
from affidavit.stages.intake import rebuild_change
from affidavit.store.open import open_store

MARKS = {True: "passed", False: "FAILED", None: "not tried"}


@click.command(cls=LongCommand)
@click.argument("report")
@click.argument("finding")
@click.option("--apply", "is_applied", is_flag=True, help="Write it into the working tree, if it holds.")
@click.option("--test", "is_test", is_flag=True, help="Make a test of the finding's program; runs programs.")
@click.option("--format", "output", type=click.Choice(["text", "patch"]), default="text")
@click.option(
    "--run/--no-run",
    default=False,
    help="Also run the finding's program and the covering tests, in a sandbox.",
)
@repository_options
@environment_options
@data_option
@click.pass_context
def command(
    context: click.Context,
    /,
    report: str,
    finding: str,
    is_applied: bool,
    output: str,
    run: bool,
    is_test: bool,
    repo: Path | None,
    **options: Any,
) -> None:
    """Try the patch of FINDING in REPORT and show the result.

    REPORT is a file of `review --format report=FILE`, the id of a kept report, or `last`.
    The patch must apply to head, parse, cause no new analyser result, remove no test, and (with --run) fix
    the finding's program and pass the covering tests as before. A step that failed in the report and is not
    tried again counts as failed. Exit code 0: every step that was tried passed. 1: a step failed.

    With --test: turn the finding's program into a test in the repository's own framework. It must fail at
    head, pass with the patch or at base, and fail again without the patch.
    """
    store = open_store(options.pop("data") or state_folder())
    recorded = find_report(report, store, ids_here(store, repo, allowed_of(options)))
    candidate = find_candidate(recorded, finding)
    patch = _patch_of(candidate.finding)
    if candidate.finding is None or not (patch or is_test):
        raise InputError("this finding has no patch")
    with rebuild_change(recorded.change, repo, allowed_of(options)) as opened, ExitStack() as stack:
        chosen = ReviewOptions.from_all(options)
        settings, repository = running_settings(chosen), opened.repository
        if is_test:
            sides, _ = _runners(repository, stack, settings, chosen)
            guard = write_guard(candidate.finding, opened.change, repository, sides)
            if is_applied and guard.holds:
                write_files(repository, {guard.path: guard.text.encode()})
            click.echo(_guard_as_patch(guard) if output == "patch" else _guard_as_text(guard))
            context.exit(exit_code(is_failed=not guard.holds, is_incomplete=False))
        runner = _runners(repository, stack, settings, chosen)[1] if run else None
        specialists = assemble_crew(settings, cache_folder()).specialists
        trial, contents = asyncio.run(
            try_patch(candidate.finding, opened.change, repository, specialists, runner, covering_tests)
        )
        trial = trial.after(candidate.patch_trial)
        if is_applied and trial.holds:
            write_files(opened.repository, contents)
    click.echo(_as_patch(patch, trial) if output == "patch" else _as_text(patch, trial))
    if is_applied:
        say("written into the working tree" if trial.holds else "not written")
    context.exit(exit_code(is_failed=not trial.holds, is_incomplete=False))


def _patch_of(finding: Finding | None) -> str:
    return (finding.verification.patch if finding and finding.verification else None) or ""


def _runners(
    repository: GitRepository, stack: ExitStack, settings: Settings, options: ReviewOptions
) -> tuple[Runner, MakeRunner | None]:
    """Return the runner on both sides, and what makes one on a patched pair."""
    running = stack.enter_context(opened_runner(repository, settings, options, is_asked=True))
    if running.runner is None:
        raise InputError(f"no program was run: {running.programs.reason if running.programs else ''}")
    return running.runner, running.beside


def write_files(repository: GitRepository, contents: Contents) -> None:
    """Write a patch to the working tree; refuse if a file there differs from head."""
    folder = repository.folder
    if folder is None:
        raise InputError("there is no working tree to write to")
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
        # A link created since then is not followed.
        handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o644)
        with os.fdopen(handle, "wb") as file:
            file.write(content)


def _guard_as_patch(guard: Guard) -> str:
    if not guard.holds:
        raise InputError("the test failed: " + "; ".join(what for what, passed in guard.steps if not passed))
    lines = guard.text.splitlines()
    added = "\n".join(f"+{line}" for line in lines)
    return f"--- /dev/null\n+++ b/{guard.path}\n@@ -0,0 +1,{len(lines)} @@\n{added}"


def _guard_as_text(guard: Guard) -> str:
    lines = [f"{MARKS[passed]}: {what}" for what, passed in guard.steps]
    lines.append("tried, and holds" if guard.holds else "the test failed: do not add it")
    return "\n".join(visible(line) for line in [*lines, "", guard.path, "", *guard.text.splitlines()])


def _as_patch(patch: str, trial: PatchTrial) -> str:
    if not trial.holds:
        raise InputError(
            "the patch failed: " + "; ".join(one.detail for one in trial.steps if one.passed is False)
        )
    return patch.rstrip("\n")


def _as_text(patch: str, trial: PatchTrial) -> str:
    lines = [f"{MARKS[step.passed]}: {step.name}: {step.detail}" for step in trial.steps]
    lines.append(_outcome(trial) if trial.holds else "the patch failed: do not apply it")
    return "\n".join(visible(line) for line in [*lines, "", *patch.splitlines()])


def _outcome(trial: PatchTrial) -> str:
    if not trial.untried:
        return "tried, and holds"
    tried = ", ".join(step.name for step in trial.steps if step.passed)
    return f"holds as far as it was tried ({tried}); not tried: {', '.join(trial.untried)}"
