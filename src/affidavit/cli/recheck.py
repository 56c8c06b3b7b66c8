"""`affidavit recheck`: prove every finding of a native report again, offline, with no model."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from affidavit.assembly import assemble_crew
from affidavit.cli.options.named import read_report
from affidavit.cli.options.repository import allowed_of, repository_options
from affidavit.cli.screen.saying import note
from affidavit.config.settings import Settings
from affidavit.errors import InputError
from affidavit.recheck import Proof, recheck_change, recheck_report
from affidavit.records.report import Report
from affidavit.render.safe_text import visible
from affidavit.stages.intake import rebuild_change

EXIT_FAILED, EXIT_IN_PART = 1, 3
MARKS = {True: "holds", False: "FAILS", None: "cannot be checked here"}


@click.command()
@click.argument("report", type=click.Path(path_type=Path))
@repository_options
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text")
@click.pass_context
def command(context: click.Context, /, report: Path, repo: Path | None, output: str, **options: Any) -> None:
    """Prove every finding of REPORT (written by `review --format report=FILE`) again.

    The recorded change is compared with the commits, quotes and searches are run against them, analysers
    once more on both sides, without a cache.
    Exit code 0: every proof holds. 1: one does not. 3: some could not be checked here. 2: nothing could.
    """
    recorded = read_report(report)
    settings = _settings_of(recorded, report)
    with rebuild_change(recorded.change, repo, allowed_of(options)) as opened:
        for notice in opened.notices:
            note(notice)
        specialists = assemble_crew(settings, cache_dir=None).specialists
        proofs = [recheck_change(recorded.change, opened.repository)]
        proofs += asyncio.run(recheck_report(recorded, opened.repository, specialists))
    click.echo(_as_json(proofs) if output == "json" else _as_text(proofs))
    context.exit(_exit_code(proofs))


def _settings_of(recorded: Report, path: Path) -> Settings:
    """The settings of the review, but for linters: a report must not name a command that is then run."""
    try:
        settings = Settings.model_validate(recorded.settings)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{path}: settings: {where}: {first['msg']}") from error
    return settings.model_copy(update={"allow_linters": False})


def _exit_code(proofs: Sequence[Proof]) -> int:
    if any(proof.holds is False for proof in proofs):
        return EXIT_FAILED
    return EXIT_IN_PART if any(proof.holds is None for proof in proofs) else 0


def _as_json(proofs: Sequence[Proof]) -> str:
    return json.dumps({"proofs": [proof.model_dump() for proof in proofs]}, indent=2)


def _as_text(proofs: Sequence[Proof]) -> str:
    lines = []
    for finding in dict.fromkeys(proof.finding for proof in proofs):
        mine = [proof for proof in proofs if proof.finding == finding]
        lines.append(visible(f"{finding}  {mine[0].title}" if finding else "the report as a whole"))
        lines += [visible(f"  {MARKS[proof.holds]}: {proof.kind}: {proof.detail}") for proof in mine]
    holding = sum(proof.holds is True for proof in proofs)
    lines.append(f"{holding} of {len(proofs)} proofs hold")
    return "\n".join(lines)
