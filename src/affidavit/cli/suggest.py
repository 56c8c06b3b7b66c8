"""`affidavit suggest`: the patch of a finding, tried before it is offered, and on demand written."""

import asyncio
import os
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from affidavit.assembly import assemble_crew
from affidavit.cli.options.repository import allowed_of, repository_options
from affidavit.cli.options.running import environment_options
from affidavit.config.places import cache_folder, state_folder
from affidavit.errors import InputError
from affidavit.git.repository import GitRepository
from affidavit.ports import Runner
from affidavit.records.finding import Finding
from affidavit.render.safe_text import visible
from affidavit.reviewing.named import find_candidate, find_report
from affidavit.reviewing.running import opened_runner, running_settings
from affidavit.stages.intake import rebuild_change
from affidavit.store.open import open_store
from affidavit.suggestions.patched import Contents
from affidavit.suggestions.trial import MakeRunner, Trial, try_patch

EXIT_FAILED = 1
MARKS = {True: "passed", False: "FAILED", None: "not tried"}


@click.command()
@click.argument("report")
@click.argument("finding")
@click.option("--apply", "is_applied", is_flag=True, help="Write it into the working tree, if it is good.")
@click.option("--format", "output", type=click.Choice(["text", "patch"]), default="text")
@click.option("--run/--no-run", default=False, help="Also run the finding's program, in a sandbox.")
@repository_options
@environment_options
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

    It must apply to head, parse, bring no new analyser result, and (with --run) settle the finding's program.
    Exit code 0: it is good. 1: it failed, and is shown as text only.
    """
    recorded = find_report(report, open_store(data or state_folder()))
    claimed, patch = _patched(find_candidate(recorded, finding).finding)
    with rebuild_change(recorded.change, repo, allowed_of(options)) as opened, ExitStack() as stack:
        settings = running_settings(options)
        crew = assemble_crew(settings, cache_folder())
        make_runner = _runner_maker(stack, settings, options) if run else None
        trying = try_patch(claimed, opened.change, opened.repository, crew.specialists, make_runner)
        trial, contents = asyncio.run(trying)
        if is_applied and trial.is_good:
            write_files(opened.repository, contents)
    click.echo(_as_patch(patch, trial) if output == "patch" else _as_text(patch, trial))
    if is_applied:
        click.echo("written into the working tree" if trial.is_good else "not written", err=True)
    context.exit(0 if trial.is_good else EXIT_FAILED)


def _patched(finding: Finding | None) -> tuple[Finding, str]:
    evidence = finding.verification if finding else None
    if finding is None or evidence is None or not evidence.patch:
        raise InputError("this finding has no patch: nobody wrote one")
    return finding, evidence.patch


def _runner_maker(stack: ExitStack, settings: Any, options: dict[str, Any]) -> MakeRunner:
    def make(repository: GitRepository) -> Runner:
        running = stack.enter_context(opened_runner(repository, settings, options, is_asked=True))
        if running.runner is None:
            raise InputError(f"nothing is run: {running.programs.reason if running.programs else ''}")
        return running.runner

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


def _as_patch(patch: str, trial: Trial) -> str:
    if not trial.is_good:
        raise InputError(
            "the patch failed: " + "; ".join(one.detail for one in trial.steps if one.passed is False)
        )
    return patch.rstrip("\n")


def _as_text(patch: str, trial: Trial) -> str:
    lines = [f"{MARKS[step.passed]}: {step.name}: {step.detail}" for step in trial.steps]
    lines.append("tried, and good" if trial.is_good else "not good: for reading only")
    return "\n".join(visible(line) for line in [*lines, "", *patch.splitlines()])
