"""`affidavit doctor`: show what works here, and what to install for the rest."""

import asyncio
import json
import os
import platform
import subprocess
from collections.abc import Iterator, Mapping
from typing import Literal
from urllib.parse import urlsplit

import click

from affidavit import __version__
from affidavit.analysers.engine.analyser import Analyser
from affidavit.analysers.engine.examine import WALLS_ADVICE
from affidavit.analysers.engine.execution import NO_WALLS, has_walls
from affidavit.analysers.engine.programs import find_program
from affidavit.analysers.registry import all_analysers
from affidavit.cli.options import format_option
from affidavit.config.places import cache_folder, state_folder
from affidavit.contract.schema import strict_object
from affidavit.errors import OutsideError, SettingsError, StoreError
from affidavit.events import ignore_events
from affidavit.minds.choice import CallLimits, ModelChoice, Provider
from affidavit.minds.coding_agents.programs import find_agent
from affidavit.minds.ledger import Ledger
from affidavit.minds.prices import has_price
from affidavit.minds.roles import minds_from
from affidavit.minds.wire.providers import SUPPLIES, build_client, is_installed
from affidavit.ports import Role, Talk
from affidavit.records.record import Record
from affidavit.render.safe_text import visible
from affidavit.reviewing.models import chosen_models
from affidavit.reviewing.options import ReviewOptions
from affidavit.sandbox.choice import Choice, choose_sandbox
from affidavit.sandbox.copies import INTERPRETERS, PROGRAM_FOLDERS, installed_languages
from affidavit.sandbox.provision import provide
from affidavit.store.open import open_store
from affidavit.system.installation import comes_along, this_installation

State = Literal["ok", "missing", "broken"]
EXIT_BROKEN = 1
MODEL_ADVICE = "pass --model PROVIDER:NAME, or set AFFIDAVIT_MODEL"
PROVIDERS_WITH_A_PACKAGE: tuple[Provider, ...] = ("anthropic", "openai", "mistral", "google", "bedrock")
"""The others use the protocol and the package of openai."""


REACH_SECONDS = 3.0
ASK_SECONDS = 60.0
ASK_TOKENS = 1_024
ONE_WORD = Talk(
    speaker="doctor",
    instructions="Answer with one word.",
    prefix="",
    task="Are you ready?",
    schema=strict_object({"word": {"type": "string"}}),
    schema_name="answer",
    max_turns=1,
)


class Check(Record):
    name: str
    state: State
    detail: str
    advice: str = ""
    is_required: bool = False


@click.command()
@format_option
@click.option("--ask", is_flag=True, help="Ask each model of the environment for one word; this costs money.")
@click.pass_context
def command(context: click.Context, output: str, *, ask: bool) -> None:
    """Check what works here, and say how to install the rest.

    Exit code 0, or 1 if something is missing that every review needs, or with --ask a model does not answer.
    """
    checks = list(examine(ask=ask))
    click.echo(_as_json(checks) if output == "json" else _as_text(checks))
    context.exit(EXIT_BROKEN if any(check.is_required and check.state != "ok" for check in checks) else 0)


def examine(*, ask: bool = False) -> Iterator[Check]:
    yield Check(name="affidavit", state="ok", detail=f"{__version__} on Python {platform.python_version()}")
    yield _examine_git()
    yield from asyncio.run(_examine_analysers())
    yield from _examine_models(os.environ, ask=ask)
    yield from _examine_providers()
    yield from _examine_sandbox(choose_sandbox())
    yield from _examine_languages(choose_sandbox())
    yield _examine_store()
    yield Check(name="cache", state="ok", detail=str(cache_folder()))


def _examine_git() -> Check:
    try:
        version = subprocess.run(["git", "--version"], capture_output=True, text=True, timeout=10, check=True)  # noqa: S607 - the user's git is the one that counts
    except (OSError, subprocess.SubprocessError) as error:
        return Check(name="git", state="missing", detail=str(error), advice="install git", is_required=True)
    return Check(name="git", state="ok", detail=version.stdout.strip(), is_required=True)


async def _examine_analysers() -> list[Check]:
    return [await _examine_analyser(analyser) for analyser in all_analysers()]


async def _examine_analyser(analyser: Analyser) -> Check:
    name = f"analyser {analyser.name}"
    covers = f"{analyser.subject}; reads {', '.join(analyser.patterns)}"
    program = await find_program(analyser, None)
    if program is None:
        return Check(name=name, state="missing", detail=covers, advice=how_to_get(analyser))
    if analyser.reads_any_path and not has_walls():
        return Check(name=name, state="broken", detail=f"{covers}; not run: {NO_WALLS}", advice=WALLS_ADVICE)
    if not program.version:
        advice = f"{program.path} does not say its version; {how_to_get(analyser)}"
        return Check(name=name, state="broken", detail=covers, advice=advice)
    where = "" if has_walls() else "; runs without a sandbox"
    return Check(name=name, state="ok", detail=f"{program.version}: {covers} ({program.path}){where}")


def how_to_get(analyser: Analyser) -> str:
    if not analyser.distribution:
        return analyser.elsewhere
    if comes_along(analyser.distribution):
        return this_installation().command_for(analyser.distribution)
    return f"there is no Python package of it for this platform: {analyser.elsewhere}"


def _examine_models(environment: Mapping[str, str], *, ask: bool) -> Iterator[Check]:
    """Check the models named in the environment; a repository's settings may name others."""
    try:
        choices = chosen_models(ReviewOptions(), environment)
    except SettingsError as error:
        yield Check(name="model", state="broken", detail=str(error), is_required=ask)
        return
    if not choices:
        detail = "none is set in the environment; only analysers review"
        yield Check(name="model", state="missing", detail=detail, advice=MODEL_ADVICE)
    seen: set[tuple[str, str | None]] = set()
    for role, choice in choices.items():
        if (choice.model, choice.base_url) not in seen:
            seen.add((choice.model, choice.base_url))
            check = _examine_model(choice, environment)
            yield check.model_copy(update={"is_required": ask})
            if ask and check.state == "ok":
                yield asyncio.run(_ask_model(role, choice, environment))


def _examine_model(choice: ModelChoice, environment: Mapping[str, str]) -> Check:
    name = f"model {choice.model}"
    price = "its price is known" if has_price(choice) else "its price is not known"
    try:
        return Check(name=name, state="ok", detail=f"{price}; {_reach(choice, environment)}")
    except (SettingsError, OutsideError) as error:
        return Check(name=name, state="broken", detail=f"{price}; {error}")


def _reach(choice: ModelChoice, environment: Mapping[str, str]) -> str:
    """Connect to the host of a model, without a key; a coding agent is a program."""
    if choice.provider == "agent":
        return find_agent(choice.name, environment).path
    import httpx2  # noqa: PLC0415 - few have a model to reach

    parts = urlsplit(build_client(choice, environment).model.base_url or "")
    host = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    try:
        httpx2.head(host, timeout=REACH_SECONDS)
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        raise OutsideError(f"{host} cannot be reached: {error}") from error
    return f"{host} answers"


async def _ask_model(role: Role, choice: ModelChoice, environment: Mapping[str, str]) -> Check:
    """Ask for one word, with little room and time."""
    limits = {"max_tokens": ASK_TOKENS, "silence_seconds": ASK_SECONDS, "call_seconds": ASK_SECONDS}
    short = choice.model_copy(update={**limits, "reasoning": None})
    minds = minds_from({role: short}, ledger=Ledger(), limits=CallLimits(attempts=1), environment=environment)
    answer = await minds[role].converse(ONE_WORD, ignore_events)
    used = answer.usage
    cost = "at an unknown price" if used.cost_usd is None else f"for ${used.cost_usd:.4f}"
    is_answered = answer.outcome == "answered"
    outcome = "answered" if is_answered else visible(answer.failure)
    return Check(
        name=f"asked {choice.model}",
        state="ok" if is_answered else "broken",
        detail=f"{outcome}; {used.input_tokens} + {used.output_tokens} tokens {cost}",
        is_required=True,
    )


def _examine_providers() -> Iterator[Check]:
    """Check the packages of model providers."""
    for provider in PROVIDERS_WITH_A_PACKAGE:
        supply, detail = SUPPLIES[provider], f"for --model {provider}:NAME"
        if is_installed(supply):
            yield Check(name=f"models of {provider}", state="ok", detail=detail)
        else:
            advice = this_installation().command_for(supply.requirement)
            yield Check(name=f"models of {provider}", state="missing", detail=detail, advice=advice)


def _examine_sandbox(choice: Choice) -> Iterator[Check]:
    """Check whether programs can run (`review --run`), and each wall of the sandbox."""
    name = "sandbox"
    if choice.sandbox is not None:
        detail = f"{choice.sandbox.name}: {len(choice.walls)} isolation checks passed"
        yield Check(name=name, state="ok", detail=detail)
    else:
        state: State = "broken" if choice.walls else "missing"
        yield Check(
            name=name, state=state, detail=f"programs are not run: {choice.reason}", advice=choice.advice
        )
    for wall in choice.walls:
        yield Check(name=f"wall {wall.name}", state="ok" if wall.holds else "broken", detail=wall.words)


def _examine_languages(choice: Choice) -> Iterator[Check]:
    if choice.sandbox is None:
        return
    given = provide(())
    here = installed_languages((*given.search_path, *PROGRAM_FOLDERS))
    lacking = [name for name in INTERPRETERS if name not in here]
    detail = f"programs in {', '.join(here)}; not in {', '.join(lacking)}" if lacking else ", ".join(here)
    yield Check(name="programs", state="ok", detail=detail)


def _examine_store() -> Check:
    store = open_store(state_folder())
    try:
        count = store.reports.count()
    except StoreError as error:
        return Check(
            name="store", state="broken", detail=str(error), advice="name another folder with --data"
        )
    return Check(name="store", state="ok", detail=f"{store.name}, {count} reports")


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
