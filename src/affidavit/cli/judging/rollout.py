"""`affidavit rollout`: try a prompt version on a slice of the changes, compare, promote or roll back."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from affidavit.cli.options.prompts import prompts_option
from affidavit.cli.screen.rollout import (
    Prospects,
    describe_comparison,
    describe_history,
    describe_status,
    describe_versions,
    shown_on,
)
from affidavit.contract.schema import ASKED_SCHEMA_VERSION
from affidavit.contract.versions import CURRENT_PROMPT_VERSION
from affidavit.errors import InputError, SettingsError
from affidavit.lab.rollout.book import RolloutBook
from affidavit.lab.rollout.decisions import (
    DEFAULT_MIN_REVIEWS,
    against_automatic_promotion,
    against_promotion,
    change_slice,
    compare_rollout,
    promote,
    retire,
    roll_back,
    start_rollout,
)
from affidavit.lab.rollout.slice import read_percent
from affidavit.prompts import copy_prompts, own_versions
from affidavit.records.lab.rollout import AUTOMATICALLY, Rollout, Versions
from affidavit.reviewing.named import user_name
from affidavit.reviewing.prompts import rollout_book

NOBODY = "somebody"

data_option = click.option("--data", type=click.Path(path_type=Path), help="Folder of the store.")
why_option = click.option("--why", required=True, help="The reason, kept in the history.")


def _person(_context: click.Context, _option: click.Parameter, name: str) -> str:
    if name.strip() in ("", AUTOMATICALLY):
        raise SettingsError(f"--by: {name!r} is not a name; name the person who decides")
    return name


by_option = click.option(
    "--by",
    default=lambda: user_name() or NOBODY,
    show_default="you",
    callback=_person,
    help="Who decides, for the history.",
)
format_option = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)


@click.group()
def command() -> None:
    """Roll out a prompt or schema version safely.

    \b
    affidavit rollout start --prompt-version 1.3.0 --prompts DIR --slice 10%
    affidavit rollout status           is it kept within its SLO?
    affidavit rollout compare          the new version against the old one
    affidavit rollout slice 30% --why  a larger slice
    affidavit rollout promote --why …  or: rollback --why …

    A slice of the changes gets the new version, always the same changes. Where too many of its findings are
    dropped, it is rolled back at once.
    """


@command.command()
@click.option("--prompt-version", required=True, metavar="VERSION", help="The version to try.")
@click.option(
    "--schema-version",
    default=ASKED_SCHEMA_VERSION,
    show_default=True,
    metavar="VERSION",
    help="The schema version that it asks for; the parser must read it already.",
)
@click.option("--slice", "share", default="10%", show_default=True, help="Share of the changes that get it.")
@click.option("--slo-dropped", default="5%", show_default=True, help="Share of findings that may be dropped.")
@click.option(
    "--min-reviews",
    type=click.IntRange(1, 1_000_000),
    default=DEFAULT_MIN_REVIEWS,
    show_default=True,
    help="Decide nothing before this many reviews of the slice.",
)
@click.option(
    "--auto-promote", is_flag=True, help="Promote it without asking once it certainly meets the SLO."
)
@click.option("--why", default="", help="The reason, kept in the history.")
@by_option
@prompts_option
@data_option
def start(**options: Any) -> None:
    """Begin: a slice of the changes gets the new version."""
    folder = str(options["prompts"]) if options["prompts"] else None
    asked = Versions(
        prompt=options["prompt_version"], schema_version=options["schema_version"], folder=folder
    )
    rollout = start_rollout(
        rollout_book(options["data"]),
        asked,
        by=options["by"],
        why=options["why"],
        share=read_percent(options["share"], option="--slice"),
        slo_dropped=_slo(options["slo_dropped"]),
        min_reviews=options["min_reviews"],
        auto_promote=options["auto_promote"],
    )
    click.echo(
        f"{100 * rollout.share:g}% of the changes get prompts {rollout.new.name};"
        f" the others keep {rollout.old.name}."
    )


@command.command("slice")
@click.argument("share")
@why_option
@by_option
@data_option
def resize(share: str, why: str, by: str, data: Path | None) -> None:
    """Give SHARE (such as 30%) of the changes the new version.

    Changes that have it keep it in a larger slice.
    """
    wanted = read_percent(share, option="SHARE")
    rollout = change_slice(rollout_book(data), wanted, by=by, why=why)
    click.echo(f"{100 * rollout.share:g}% of the changes get prompts {rollout.new.name}.")


@command.command()
@data_option
@format_option
def status(data: Path | None, form: str) -> None:
    """What is under way, and what would be decided now."""
    book = rollout_book(data)
    running = book.running()
    prospects = _prospects(book, running) if running else None
    last = next((one for one in reversed(book.decisions()) if one.action != "start"), None)
    if form == "text":
        _print_text(describe_status(book.current(), prospects, last))
        return
    _print_json(
        {
            "current": book.current().model_dump(),
            "running": running and running.model_dump(),
            "slice_reviews": prospects.comparison.new_reviews if prospects else None,
            "against_promotion": prospects.against_promotion if prospects else None,
            "against_automatic_promotion": prospects.against_automatic if prospects else None,
            "last_decision": last and last.model_dump(),
        }
    )


def _prospects(book: RolloutBook, running: Rollout) -> Prospects:
    return Prospects(
        running,
        compare_rollout(book, running),
        against_promotion(book, running),
        against_automatic_promotion(book, running) if running.auto_promote else None,
    )


@command.command()
@click.option(
    "--rollout", "number", type=int, metavar="N", help="An earlier one, by its number in the history."
)
@data_option
@format_option
def compare(number: int | None, data: Path | None, form: str) -> None:
    """The diagnostics of the new version against the old one's, each with its n and 95% interval."""
    book = rollout_book(data)
    rollout = _rollout(book, number)
    comparison = compare_rollout(book, rollout)
    if form == "json":
        _print_json({"rollout": rollout.model_dump(), **comparison.model_dump()})
        return
    _print_text(describe_comparison(rollout, comparison, sys.stdout.encoding))


@command.command("promote")
@why_option
@click.option("--force", is_flag=True, help="Even if the SLO is not met, or the sample is too small.")
@by_option
@data_option
def promote_command(why: str, force: bool, by: str, data: Path | None) -> None:
    """Give every change the new version; refused while the SLO is not kept."""
    rollout = promote(rollout_book(data), by=by, why=why, is_forced=force)
    click.echo(f"Every review uses prompts {rollout.new.name} now.")


@command.command("rollback")
@why_option
@by_option
@data_option
def roll_back_command(why: str, by: str, data: Path | None) -> None:
    """End the running rollout; with none, take the last promotion back."""
    rollout, current = roll_back(rollout_book(data), by=by, why=why)
    click.echo(f"Prompts {rollout.new.name} are rolled back; every review uses {current.name} now.")


@command.command("retire")
@click.argument("version")
@click.option("--schema", "is_schema", is_flag=True, help="VERSION is a schema version.")
@why_option
@by_option
@data_option
def retire_command(version: str, is_schema: bool, why: str, by: str, data: Path | None) -> None:
    """Read VERSION no more, once a version of the next major is promoted.

    A reply that names it is then rejected as incompatible_version. Before, both are read.
    """
    retire(rollout_book(data), version, by=by, why=why, is_schema=is_schema)
    click.echo(f"{'Schema' if is_schema else 'Prompt'} version {version} is retired.")


@command.command()
@data_option
@format_option
def history(data: Path | None, form: str) -> None:
    """What was decided, when, by whom and why."""
    decisions = rollout_book(data).decisions()
    if form == "json":
        _print_json([decision.model_dump() for decision in decisions])
        return
    _print_text(describe_history(decisions))


@command.command()
@prompts_option
@data_option
def versions(prompts: Path | None, data: Path | None) -> None:
    """The prompt versions that can be used, and which of them are."""
    book = rollout_book(data)
    own = own_versions(prompts) if prompts else []
    current, running = book.current(), book.running()
    known = {CURRENT_PROMPT_VERSION: ""} | dict.fromkeys(own, str(prompts))
    for used in (current, *([running.new] if running else [])):
        # Its folder was named when its rollout began, and reviews find it there.
        known.setdefault(used.prompt, used.folder or "")
    _print_text(describe_versions(known, current, running, book.retired("prompt")))


@command.command("copy")
@click.argument("version")
@click.argument("target", type=click.Path(path_type=Path))
@prompts_option
def copy_command(version: str, target: Path, prompts: Path | None) -> None:
    """Copy the prompts of VERSION into the new folder TARGET, such as prompts/1.1.0, to be changed there."""
    copy_prompts(version, target, prompts)
    click.echo(f"Change the templates in {target}, then: affidavit rollout start --prompts {target.parent} …")


def _slo(text: str) -> float:
    share = read_percent(text, option="--slo-dropped", is_zero_allowed=True)
    if share == 1:
        raise SettingsError("--slo-dropped: 100% would allow everything to be dropped")
    return share


def _rollout(book: RolloutBook, number: int | None) -> Rollout:
    found = book.last() if number is None else book.numbered(number)
    if found is None:
        which = "no rollout was ever started" if number is None else f"there is no rollout {number}"
        raise InputError(f"{which}; see `affidavit rollout history`")
    return found


def _print_text(text: str) -> None:
    click.echo(shown_on(text, sys.stdout.encoding), nl=False)


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2))
