"""`affidavit reproduce`: run the program of a finding again on both sides."""

import json
from pathlib import Path
from typing import Any

import click

from affidavit.cli.change import allowed_of, repository_options
from affidavit.cli.options import environment_options
from affidavit.cli.outputs import exit_code
from affidavit.config.places import state_folder
from affidavit.errors import InputError, OutsideError
from affidavit.proof.running.own_names import own_names
from affidavit.proof.running.reproduction import run_reproduction
from affidavit.records.evidence import ReproductionCheck
from affidavit.records.finding import Reproduction
from affidavit.records.program_runs import ProgramRun
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
    repo: Path | None,
    data: Path | None,
    output: str,
    **options: Any,
) -> None:
    """Run the program of FINDING in REPORT again on both sides, in the sandbox.

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
            raise OutsideError(f"no program was run: {running.programs.reason if running.programs else ''}")
        check = run_reproduction(reproduction, running.runner, own_names(opened.repository))
    click.echo(_as_json(check) if output == "json" else _as_text(reproduction, check))
    is_blocked = check.outcome == "could_not_run"
    is_failed = not is_blocked and not check.is_shown_by_running
    context.exit(exit_code(is_failed=is_failed, is_incomplete=is_blocked))


def declared(finding: Any) -> Reproduction:
    """Return the program that a finding offers."""
    evidence = finding.verification if finding else None
    if evidence is None or evidence.reproduction is None:
        raise InputError("this finding has no program to run")
    reproduction: Reproduction = evidence.reproduction
    return reproduction


def _as_json(check: ReproductionCheck) -> str:
    return json_without_commands(json.dumps(check.model_dump(mode="json"), indent=2))


def _as_text(reproduction: Reproduction, check: ReproductionCheck) -> str:
    lines = [f"{check.outcome.replace('_', ' ')}{f': {check.detail}' if check.detail else ''}"]
    if check.sandbox:
        lines.append(f"run in {check.sandbox}")
    for run in (*([check.base] if check.base else []), *check.head):
        at_base = run.side == "base"
        expected = reproduction.expected_at_base if at_base else reproduction.expected_at_head
        lines += ["", _run_text(run), f"  expected: {visible(expected_words(expected))}"]
    return "\n".join([visible(lines[0]), *lines[1:]])


def _run_text(run: ProgramRun) -> str:
    head = f"at {run.side}: {run.summary}, {run.duration_ms} ms{f', {run.detail}' if run.detail else ''}"
    return "\n".join([visible(head), *(f"  | {visible(line)}" for line in run.output.splitlines())])
