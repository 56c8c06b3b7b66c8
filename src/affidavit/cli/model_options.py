"""The options that choose models, budgets and recordings, and the choice that the settings make."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from affidavit.errors import SettingsError
from affidavit.minds.choice import ModelChoice, choose_model
from affidavit.minds.conversation_log import ConversationLog, LogMode
from affidavit.minds.ledger import Budget, Ledger
from affidavit.ports import Role
from affidavit.settings import ENVIRONMENT_PREFIX, MODEL_READERS, ROLES, Settings, load_settings

Command = TypeVar("Command", bound=Callable[..., Any])
BASE_URL_VARIABLE = ENVIRONMENT_PREFIX + "BASE_URL"
"""It says where code and keys go, so it is no setting: a file of the repository could hold it."""


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
            )
            for role in ROLES
        ),
        *(
            click.option(f"--{role}-temperature", metavar="T", help=f"From 0 to 2, for the {role}.")
            for role in ROLES
        ),
        *(
            click.option(f"--{role}-max-tokens", metavar="N", help=f"Limit of a reply of the {role}.")
            for role in ROLES
        ),
        click.option("--base-url", metavar="URL", help="An OpenAI-compatible Chat Completions endpoint."),
        click.option(
            "--model-timeout-seconds",
            metavar="N",
            help="How long a call may show no sign of life; default 60.",
        ),
        click.option("--budget-usd", metavar="USD", help="Stop in an orderly way before this is spent."),
        click.option("--budget-tokens", metavar="N", help="The same in tokens."),
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
    """The models of a command that reads no settings of a repository."""
    return models_of(_without_files(options, environment), options, environment)


def opened_ledger(options: Mapping[str, Any], environment: Mapping[str, str] = os.environ) -> Ledger:
    """What a command may spend that reads no settings of a repository."""
    return ledger_of(_without_files(options, environment))


def _without_files(options: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    return load_settings(None, environment, {name: options.get(name) for name in MODEL_READERS})


def models_of(
    settings: Settings, options: Mapping[str, Any], environment: Mapping[str, str] = os.environ
) -> dict[Role, ModelChoice]:
    """The model of each role; empty where none is named."""
    base_url = options.get("base_url") or environment.get(BASE_URL_VARIABLE) or None
    choices = {}
    for role in ROLES:
        text = getattr(settings, f"{role}_model") or settings.model
        if text:
            choices[role] = choose_model(
                text,
                role,
                base_url=base_url,
                temperature=getattr(settings, f"{role}_temperature"),
                max_tokens=getattr(settings, f"{role}_max_tokens"),
                silence_seconds=settings.model_timeout_seconds,
            )
    missing = [role for role in ROLES if role not in choices and role != "reporter"]
    if choices and missing:
        raise SettingsError(
            f"no model for the {missing[0]}: name one with --{missing[0]}-model, or --model for all"
        )
    return choices


def ledger_of(settings: Settings) -> Ledger:
    """What the review may spend."""
    return Ledger(Budget(tokens=settings.budget_tokens, usd=settings.budget_usd))


def opened_log(options: Mapping[str, Any]) -> ConversationLog:
    """Where exchanges are kept or read; at most one of the three options."""
    modes = {LogMode.RECORD: "record", LogMode.REPLAY: "replay", LogMode.RESUME: "resume"}
    chosen = [(mode, options[name]) for mode, name in modes.items() if options.get(name)]
    if len(chosen) > 1:
        raise SettingsError("--record, --replay and --resume exclude each other")
    mode, folder = chosen[0] if chosen else (LogMode.OFF, None)
    return ConversationLog(folder, mode)
