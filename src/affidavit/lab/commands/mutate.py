"""`affidavit eval --mutate`: from a repository on the command line to cases with planted bugs."""

import asyncio
from pathlib import Path
from typing import Any

import click

from affidavit.cli.screen.saying import say
from affidavit.config.places import cache_folder
from affidavit.errors import InputError
from affidavit.lab.mutation.commits import PLANTABLE_LANGUAGES, read_languages
from affidavit.lab.mutation.planting import PlantingRequest, PlantingSummary, describe_planting, plant_bugs
from affidavit.render.safe_text import visible
from affidavit.render.wording import counted

MUTATE = "mutate"
MUTATE_FLAG = f"--{MUTATE}"
"""By this flag `affidavit eval` is asked for planted bugs."""


@click.command(MUTATE)
@click.option("--repo", type=click.Path(path_type=Path), help="The repository; default: this folder's.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    metavar="CASES",
    help="Where the cases go: a new folder.",
)
@click.option(
    "--commits",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="How many commits get a bug.",
)
@click.option(
    "--per-commit", type=click.IntRange(1, 10), default=1, show_default=True, help="Bugs per commit."
)
@click.option("--since", metavar="REV", help="Only commits after this one; default: the most recent ones.")
@click.option("--languages", metavar="NAMES", help=f"Some of {','.join(PLANTABLE_LANGUAGES)}; default: all.")
@click.option("--seed", type=int, default=0, show_default=True, help="Another seed makes another choice.")
@click.option(
    "--run-tests",
    "test_command",
    metavar="COMMAND",
    help="Run the repository's tests on each bug and drop what they catch. This runs the repository's code.",
)
@click.option("--no-cache", is_flag=True, help="Ask the type checkers again.")
@click.option("--quiet", "-q", is_flag=True, help="Only the summary.")
@click.option("--debug", is_flag=True, help="Show the traceback of an unexpected error.")
@click.pass_context
def mutate(context: click.Context, /, **options: Any) -> None:
    """Make labelled cases from your own repository: real commits, each with one known bug planted in it.

    Every case has a clean twin, the commit as it was. The repository is only read; the cases bring their
    own. `affidavit eval CASES` then measures how many of the bugs are found, and what is said of the twins.

    \b
    affidavit eval --mutate --out cases
    affidavit eval --mutate --repo ../shop --out cases --commits 50 --languages python
    affidavit eval --mutate --out cases --run-tests "python -m pytest -q -x"
    """
    request = _request(options)
    summary = asyncio.run(plant_bugs(request, report=_silent if options["quiet"] else say))
    if not summary.bugs:
        raise InputError(_nothing_planted(summary))
    click.echo(visible(describe_planting(summary, request.out), keep="\n"))
    if summary.commits < request.commits:
        say(
            f"{summary.commits} of {request.commits} commits got a bug; no others were suitable. "
            "Name an older one with --since, or another seed"
        )
    context.exit(0)


def _request(options: dict[str, Any]) -> PlantingRequest:
    command = options["test_command"]
    if command is not None and not command.strip():
        raise InputError("--run-tests: no command is named, such as: --run-tests 'make test'")
    return PlantingRequest(
        repository=options["repo"],
        out=options["out"],
        commits=options["commits"],
        since=options["since"],
        languages=read_languages(options["languages"]),
        seed=options["seed"],
        per_commit=options["per_commit"],
        test_command=command,
        cache=None if options["no_cache"] else cache_folder(),
    )


def _nothing_planted(summary: PlantingSummary) -> str:
    reasons = {**summary.commits_unsuited, **summary.discarded}
    why = "; ".join(f"{counted(count, 'time')}: {reason}" for reason, count in reasons.items())
    return f"no bug could be planted in {counted(summary.commits_read, 'commit')} ({why})"


def _silent(_text: str) -> None:
    return
