"""`affidavit rollout`: try a prompt version on a share of the changes, then promote it or roll it back."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from affidavit.cli.options import data_option, format_option, prompts_option
from affidavit.cli.outputs import print_json
from affidavit.config.places import state_folder
from affidavit.contract.schema import CURRENT_SCHEMA_VERSION
from affidavit.errors import SettingsError
from affidavit.quality.rollout import (
    SHARES,
    current_versions,
    promote,
    rate_in,
    roll_back,
    running_rollout,
    start_rollout,
    why_not_promote,
)
from affidavit.records.measure import Rollout, RolloutReview, Versions
from affidavit.render.account import rate_words
from affidavit.render.ink import Ink
from affidavit.reviewing.named import user_name
from affidavit.store.open import Store, open_store

PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,6})?)\s*%")
STATES = {"running": "started", "promoted": "promoted", "rolled_back": "rolled back"}

why_option = click.option("--why", required=True, help="The reason; `rollout status` shows it.")


@click.group()
def command() -> None:
    """Roll out a prompt or schema version.

    \b
    affidavit rollout start --prompt-version 1.3.0 --prompts DIR --slice 10%
    affidavit rollout status           does it meet its SLO?
    affidavit rollout promote --why …  or: rollback --why …

    A share of the changes gets the new version, always the same changes.
    """


@command.command()
@click.option("--prompt-version", required=True, metavar="VERSION", help="The version to try.")
@click.option(
    "--schema-version",
    default=CURRENT_SCHEMA_VERSION,
    show_default=True,
    metavar="VERSION",
    help="The schema version that it asks for; the parser must read it already.",
)
@click.option("--slice", "share", default="10%", show_default=True, help="Share of the changes that get it.")
@click.option("--slo-dropped", default="5%", show_default=True, help="Share of findings that may be dropped.")
@click.option(
    "--min-reviews",
    type=click.IntRange(1, 1_000_000),
    default=10,
    show_default=True,
    help="Reviews with the new version that a promotion needs.",
)
@click.option("--why", default="", help="The reason; `rollout status` shows it.")
@prompts_option
@data_option
def start(**options: Any) -> None:
    """Give a share of the changes the new version."""
    folder = str(options["prompts"]) if options["prompts"] else None
    new = Versions(prompt=options["prompt_version"], schema_version=options["schema_version"], folder=folder)
    slo = read_percent(options["slo_dropped"], option="--slo-dropped")
    if slo == 1:
        raise SettingsError("--slo-dropped: 100% would allow everything to be dropped")
    share = read_percent(options["share"], option="--slice")
    if share == 0:
        raise SettingsError("--slice: 0% of the changes would try nothing; write more, such as 10%")
    rollout = start_rollout(
        _store(options["data"]),
        new,
        by=user_name(),
        why=options["why"],
        share=share,
        slo_dropped=slo,
        min_reviews=options["min_reviews"],
    )
    click.echo(f"{100 * share:g}% of the changes get prompts {new.name}; the others keep {rollout.old.name}.")


@command.command()
@data_option
@format_option
def status(data: Path | None, output: str) -> None:
    """Show the running rollout, what prevents its promotion, and the earlier ones."""
    store = _store(data)
    running = running_rollout(store)
    reviews = store.rollouts.reviews(running.number) if running else []
    problems = why_not_promote(running, reviews) if running else []
    rollouts = store.rollouts.all() if store.exists() else []
    current = current_versions(store)
    if output == "text":
        _print_status(current, running, reviews, problems, rollouts)
        return
    print_json(
        {
            "current": current.model_dump(),
            "running": running and running.model_dump(),
            "reviews": {arm: sum(one.arm == arm for one in reviews) for arm in ("old", "new")},
            "shares": {name: _both(reviews, name) for name in SHARES},
            "against_promotion": problems,
            "rollouts": [one.model_dump() for one in rollouts],
        }
    )


@command.command("promote")
@why_option
@data_option
def promote_command(why: str, data: Path | None) -> None:
    """Give every change the new version; refused outside of the SLO."""
    rollout = promote(_store(data), by=user_name(), why=why)
    click.echo(f"Every review uses prompts {rollout.new.name} now.")


@command.command("rollback")
@why_option
@data_option
def roll_back_command(why: str, data: Path | None) -> None:
    """End the running rollout; if none is running, undo the last promotion."""
    store = _store(data)
    rollout = roll_back(store, by=user_name(), why=why)
    now = current_versions(store).name
    click.echo(f"Prompts {rollout.new.name} are rolled back; every review uses {now} now.")


def read_percent(text: str, *, option: str) -> float:
    """Read a share such as `10%`; the sign is required, because 0.1 may mean either."""
    match = PERCENT.fullmatch(text.strip())
    share = float(match[1]) / 100 if match else -1.0
    if not 0 <= share <= 1:
        raise SettingsError(f"{option}: {text[:40]!r} is not a share; write 0% to 100%, such as 10%")
    return share


def _store(data: Path | None) -> Store:
    return open_store(data or state_folder(os.environ))


def _both(reviews: Sequence[RolloutReview], name: str) -> dict[str, Any]:
    old, new = rate_in(reviews, "old", name), rate_in(reviews, "new", name)
    return {"old": old and old.model_dump(), "new": new and new.model_dump()}


def _print_status(
    current: Versions,
    running: Rollout | None,
    reviews: Sequence[RolloutReview],
    problems: Sequence[str],
    rollouts: Sequence[Rollout],
) -> None:
    ink = Ink(Console())
    ink.line(f"Reviews use prompts {current.name}.")
    if running is None:
        ink.line("No rollout is running.")
    else:
        ink.line(f"On trial: prompts {running.new.name} for {100 * running.share:g}% of the changes.")
        ink.console.print(_table(ink, reviews))
        ink.line(f"The SLO is {100 * running.slo_dropped:g}% dropped findings and rejected replies.")
        ink.prose(f"Not to be promoted: {'; '.join(problems)}." if problems else "May be promoted.", indent=0)
    for one in rollouts:
        for said in one.decisions:
            what = f"{said.at[:10]} {one.new.name} {STATES[said.state]} by {said.by}: {said.why}"
            ink.line(ink.safe(what))


def _table(ink: Ink, reviews: Sequence[RolloutReview]) -> Table:
    dash = ink.glyphs.dash
    table = Table(box=box.SIMPLE_HEAD if dash != "-" else box.ASCII)
    table.add_column("share", overflow="fold")
    for arm in ("old", "new"):
        table.add_column(f"{arm}, reviews: {sum(one.arm == arm for one in reviews)}", overflow="fold")
    for name, (meaning, _) in SHARES.items():
        rates = rate_in(reviews, "old", name), rate_in(reviews, "new", name)
        table.add_row(meaning, *(rate_words(rate, dash) if rate else dash for rate in rates))
    return table
