"""The options that choose models, budgets and recordings."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from affidavit.config.readers import ROLES
from affidavit.ports import Role
from affidavit.reviewing.models import JUDGING

Command = TypeVar("Command", bound=Callable[..., Any])


def model_options(command: Command) -> Command:
    """Add the options of a command that asks models in several roles."""
    return _role_options(command, ROLES, "PROVIDER:NAME, for all roles; without it no model is used.")


def verifier_options(command: Command) -> Command:
    """Add the options of a command that asks verifiers only."""
    return _role_options(command, JUDGING, "PROVIDER:NAME, unless --verifier-model names another.")


def _role_options(command: Command, roles: Sequence[Role], use: str) -> Command:
    options = [
        click.option("--model", metavar="MODEL", help=use),
        *(option for role in roles for option in _options_of(role)),
        click.option(
            "--verifier-votes",
            metavar="N",
            help="Ask the verifier N times about findings of severity high and critical; odd, default 1.",
        ),
        click.option(
            "--base-url",
            metavar="URL",
            help="An OpenAI-compatible Chat Completions endpoint: for --model, and for every role's model"
            " that names no provider.",
        ),
    ]
    return _with_options(options, talk_options(command))


def talk_options(command: Command) -> Command:
    """Add what bounds and keeps the talks with models: time, budget, recordings."""
    kept = (
        ("--record", "Record every exchange in this folder."),
        ("--replay", "Answer from a recorded run; ask no model."),
        ("--resume", "Continue a recorded run."),
    )
    options = [
        click.option(
            "--model-timeout-seconds",
            metavar="N",
            help="How long a call may send nothing; default 120.",
        ),
        click.option("--budget-usd", metavar="USD", help="End the review before more than this is spent."),
        click.option("--budget-tokens", metavar="N", help="The same in tokens."),
        click.option(
            "--prices-usd-per-million",
            metavar="MODEL=IN/OUT",
            help="Prices of models that the price table does not have, in USD per million tokens;"
            " IN/CACHED/OUT where cached input is cheaper; several with commas.",
        ),
        *(click.option(name, type=click.Path(path_type=Path), metavar="DIR", help=use) for name, use in kept),
    ]
    return _with_options(options, command)


def mcp_servers_option(command: Command) -> Command:
    """Add the option that names servers whose tools models may call."""
    option = click.option(
        "--mcp-servers",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        envvar="AFFIDAVIT_MCP_SERVERS",
        help="Servers whose tools models may search and call, as editors list them; each with `allow`.",
    )
    return option(command)


def _with_options(options: Sequence[Callable[[Command], Command]], command: Command) -> Command:
    # The one that is added last is listed first.
    for option in reversed(options):
        command = option(command)
    return command


def _options_of(role: Role) -> list[Callable[[Command], Command]]:
    name, title = role.replace("_", "-"), role.replace("_", " ")
    use = (
        "A second model that must also confirm a finding; none by default."
        if role == "second_verifier"
        else f"Another model as {title}."
    )
    return [
        click.option(f"--{name}-model", metavar="MODEL", help=use),
        click.option(f"--{name}-temperature", metavar="T", help=f"From 0 to 2, for the {title}."),
        click.option(f"--{name}-max-tokens", metavar="N", help=f"Limit of a reply of the {title}."),
        click.option(f"--{name}-base-url", metavar="URL", help=f"Another endpoint for the {title}'s model."),
    ]
