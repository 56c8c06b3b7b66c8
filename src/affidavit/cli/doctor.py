"""`affidavit doctor`: what is usable here, and what to install for the rest."""

import asyncio
import json
import platform
import subprocess
from collections.abc import Iterator
from typing import Literal

import click

from affidavit import __version__
from affidavit.analysers.analyser import Analyser
from affidavit.analysers.engine.run_side import find_program
from affidavit.analysers.registry import ANALYSERS
from affidavit.config.places import cache_folder, state_folder
from affidavit.errors import StoreError
from affidavit.records.record import Record
from affidavit.store.reports import SqliteStore

State = Literal["ok", "missing", "broken"]
EXIT_BROKEN = 1


class Check(Record):
    """One thing that a review may need."""

    name: str
    state: State
    detail: str
    advice: str = ""
    is_required: bool = False


@click.command()
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text")
@click.pass_context
def command(context: click.Context, output: str) -> None:
    """Say what is usable here and what to install for the rest.

    Exit code 0, or 1 where something is missing without which no review can be done.
    """
    checks = list(examine())
    click.echo(_as_json(checks) if output == "json" else _as_text(checks))
    context.exit(EXIT_BROKEN if any(check.is_required and check.state != "ok" for check in checks) else 0)


def examine() -> Iterator[Check]:
    """Look at everything that a review may need."""
    yield Check(name="affidavit", state="ok", detail=f"{__version__} on Python {platform.python_version()}")
    yield _examine_git()
    yield from asyncio.run(_examine_analysers())
    yield Check(
        name="model",
        state="missing",
        detail="no model is configured; the mechanical specialists review alone",
    )
    yield _examine_store()
    yield Check(name="cache", state="ok", detail=str(cache_folder()))


def _examine_git() -> Check:
    try:
        version = subprocess.run(["git", "--version"], capture_output=True, text=True, timeout=10, check=True)  # noqa: S607 - the user's git is the one that counts
    except (OSError, subprocess.SubprocessError) as error:
        return Check(name="git", state="missing", detail=str(error), advice="install git", is_required=True)
    return Check(name="git", state="ok", detail=version.stdout.strip(), is_required=True)


async def _examine_analysers() -> list[Check]:
    return [await _examine_analyser(analyser) for analyser in ANALYSERS]


async def _examine_analyser(analyser: Analyser) -> Check:
    name = f"analyser {analyser.name}"
    covers = f"{analyser.subject}; reads {', '.join(analyser.patterns)}"
    program = await find_program(analyser, None)
    if program is None:
        return Check(name=name, state="missing", detail=covers, advice=analyser.install_hint)
    if not program.version:
        advice = f"{program.path} does not say its version; {analyser.install_hint}"
        return Check(name=name, state="broken", detail=covers, advice=advice)
    return Check(name=name, state="ok", detail=f"{program.version}: {covers} ({program.path})")


def _examine_store() -> Check:
    store = SqliteStore(state_folder())
    try:
        count = store.count_reports()
    except StoreError as error:
        return Check(
            name="store", state="broken", detail=str(error), advice="name another folder with --data"
        )
    return Check(name="store", state="ok", detail=f"{store.path}, {count} reports")


def _as_json(checks: list[Check]) -> str:
    return json.dumps({"checks": [check.model_dump() for check in checks]}, indent=2)


def _as_text(checks: list[Check]) -> str:
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{check.name:<{width}}  {check.state:<7}  {check.detail}")
        if check.advice:
            lines.append(f"{'':<{width}}           {check.advice}")
    return "\n".join(lines)
