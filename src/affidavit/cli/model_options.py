"""The options that choose models, budgets and recordings: flags over the environment."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from affidavit.errors import SettingsError
from affidavit.minds.choice import ModelChoice, choose_model
from affidavit.minds.conversation_log import ConversationLog, LogMode
from affidavit.minds.ledger import Budget, Ledger
from affidavit.ports import Role

ROLES: tuple[Role, ...] = get_args(Role)
Command = TypeVar("Command", bound=Callable[..., Any])
VARIABLES = ("model", *(f"{role}_model" for role in ROLES), "base_url", "model_timeout_seconds")
"""What the environment may name as AFFIDAVIT_…. They say where code goes, so no repository may set them."""


def model_options(command: Command) -> Command:
    """Add the options to a command."""
    options = [
        click.option(
            "--model", metavar="MODEL", help="PROVIDER:NAME, for all roles; without it no model looks."
        ),
        *(
            click.option(
                f"--{role}-model",
                metavar="MODEL",
                help=f"Another model as {role}.",
                hidden=role == "reporter",
            )
            for role in ROLES
        ),
        click.option("--base-url", metavar="URL", help="An OpenAI-compatible Chat Completions endpoint."),
        click.option(
            "--model-timeout-seconds",
            metavar="N",
            help="How long a call may show no sign of life; default 60.",
        ),
        click.option(
            "--budget-usd", type=float, metavar="USD", help="Stop in an orderly way before this is spent."
        ),
        click.option("--budget-tokens", type=int, metavar="N", help="The same in tokens."),
        click.option(
            "--record", type=click.Path(path_type=Path), metavar="DIR", help="Keep every exchange there."
        ),
        click.option(
            "--replay", type=click.Path(path_type=Path), metavar="DIR", help="Answer from there, ask nobody."
        ),
        click.option(
            "--resume",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Go on with a run that is kept there.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def chosen_models(
    options: Mapping[str, Any], environment: Mapping[str, str] = os.environ
) -> dict[Role, ModelChoice]:
    """The model of each role; empty where none is named."""
    named = {name: options.get(name) or environment.get(f"AFFIDAVIT_{name.upper()}") for name in VARIABLES}
    choices = {}
    for role in ROLES:
        text = named[f"{role}_model"] or named["model"]
        if text:
            choices[role] = choose_model(
                text,
                role,
                base_url=named["base_url"],
                silence_seconds=_seconds(named["model_timeout_seconds"]),
            )
    missing = [role for role in ROLES if role not in choices and role != "reporter"]
    if choices and missing:
        raise SettingsError(
            f"no model for the {missing[0]}: name one with --{missing[0]}-model, or --model for all"
        )
    return choices


def opened_ledger(options: Mapping[str, Any]) -> Ledger:
    """What the review may spend."""
    return Ledger(Budget(tokens=options.get("budget_tokens"), usd=options.get("budget_usd")))


def opened_log(options: Mapping[str, Any]) -> ConversationLog:
    """Where exchanges are kept or read; at most one of the three options."""
    modes = {LogMode.RECORD: "record", LogMode.REPLAY: "replay", LogMode.RESUME: "resume"}
    chosen = [(mode, options[name]) for mode, name in modes.items() if options.get(name)]
    if len(chosen) > 1:
        raise SettingsError("--record, --replay and --resume exclude each other")
    mode, folder = chosen[0] if chosen else (LogMode.OFF, None)
    return ConversationLog(folder, mode)


def _seconds(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return float(text)
    except ValueError as error:
        raise SettingsError(f"--model-timeout-seconds: expected a number, found {text!r}") from error
