"""`affidavit reproduce`: run what a finding offers as its proof again, and show both outputs."""

import json
from pathlib import Path
from typing import Any

import click

from affidavit.cli.change import allowed_of, repository_options
from affidavit.cli.options import environment_options
from affidavit.cli.outputs import exit_code
from affidavit.cli.saying import note
from affidavit.config.places import state_folder
from affidavit.errors import InputError, OutsideError
from affidavit.proof.running.own_names import own_names
from affidavit.proof.running.reproduction import hindered, meets, run_reproduction
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.finding import Expected, Reproduction
from affidavit.records.program_runs import ProgramRun
from affidavit.records.record import Side
from affidavit.render.programs import expected_words
from affidavit.render.safe_text import json_without_commands, visible
from affidavit.reviewing.named import find_candidate, find_report, ids_here
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.running import opened_runner, running_settings
from affidavit.stages.intake import rebuild_change
from affidavit.store.open import open_store


@click.command()
@click.argument("report")
@click.argument("finding")
@click.option("--side", type=click.Choice(["base", "head", "both"]), default="both")
@repository_options
@environment_options
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the store.")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text")
@click.pass_context
def command(
    context: click.Context,
    /,
    report: str,
    finding: str,
    side: str,
    repo: Path | None,
    data: Path | None,
    output: str,
    **options: Any,
) -> None:
    """Run the reproduction of FINDING in REPORT again, in the sandbox.

    REPORT is a file of `review --format report=FILE`, the id of a kept report, or `last`. Exit code 0: as
    expected. 1: not. 3: it could not be run.
    """
    store = open_store(data or state_folder())
    recorded = find_report(report, store, ids_here(store, repo, allowed_of(options)))
    reproduction = declared(find_candidate(recorded, finding).finding)
    chosen = ReviewOptions.among(options)
    settings = running_settings(chosen)
    with (
        rebuild_change(recorded.change, repo, allowed_of(options)) as opened,
        opened_runner(opened.repository, settings, chosen, is_asked=True) as running,
    ):
        if running.runner is None:
            raise OutsideError(f"nothing is run: {running.programs.reason if running.programs else ''}")
        if side == "both":
            check = run_reproduction(reproduction, running.runner, own_names(opened.repository))
            click.echo(_as_json(check) if output == "json" else _as_text(reproduction, check))
            is_blocked = check.outcome == "could_not_run"
            is_failed = not is_blocked and not check.is_shown_by_running
            context.exit(exit_code(is_failed=is_failed, is_incomplete=is_blocked))
        run = running.runner.run(reproduction.as_program, "base" if side == "base" else "head")
        blocked = hindered(run, _expected_at(reproduction, run.side), own_names(opened.repository))
    click.echo(json_without_commands(run.model_dump_json(indent=2)) if output == "json" else _run_text(run))
    if blocked:
        note(f"it shows nothing: {blocked}")
    is_failed = not blocked and not _meets_expected(run, reproduction)
    context.exit(exit_code(is_failed=is_failed, is_incomplete=bool(blocked)))


def declared(finding: Any) -> Reproduction:
    """The reproduction of a finding."""
    evidence = finding.verification if finding else None
    if evidence is None or evidence.reproduction is None:
        raise InputError("this finding has no reproduction: nobody wrote a program that shows it")
    reproduction: Reproduction = evidence.reproduction
    return reproduction


def _meets_expected(run: ProgramRun, reproduction: Reproduction) -> bool:
    expected = _expected_at(reproduction, run.side)
    return expected is None or meets(run, expected)


def _expected_at(reproduction: Reproduction, side: Side) -> Expected | None:
    return reproduction.expected_at_base if side == "base" else reproduction.expected_at_head


def _as_json(check: ReproductionCheck) -> str:
    return json_without_commands(json.dumps(check.model_dump(mode="json"), indent=2))


def _as_text(reproduction: Reproduction, check: ReproductionCheck) -> str:
    lines = [f"{check.outcome.replace('_', ' ')}{f': {check.detail}' if check.detail else ''}"]
    if check.sandbox:
        lines.append(f"run in {check.sandbox}")
    for run in (*([check.base] if check.base else []), *check.head):
        expected = _expected_at(reproduction, run.side)
        lines += ["", _run_text(run), f"  expected: {visible(expected_words(expected))}"]
    return "\n".join([visible(lines[0]), *lines[1:]])


def _run_text(run: ProgramRun) -> str:
    head = f"at {run.side}: {run.summary}, {run.duration_ms} ms{f', {run.detail}' if run.detail else ''}"
    return "\n".join([visible(head), *(f"  | {visible(line)}" for line in run.output.splitlines())])
