"""The options that choose models, budgets and recordings."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from affidavit.config.readers import ROLES
from affidavit.errors import SettingsError
from affidavit.git.command import Git
from affidavit.ports import Role
from affidavit.reviewing.models import JUDGING

Command = TypeVar("Command", bound=Callable[..., Any])


def model_options(command: Command) -> Command:
    return _role_options(command, ROLES, "PROVIDER:NAME, for all roles; without it no model is used.")


def verifier_options(command: Command) -> Command:
    return _role_options(command, JUDGING, "PROVIDER:NAME, unless --verifier-model names another.")


def _role_options(command: Command, roles: Sequence[Role], use: str) -> Command:
    options = [
        click.option("--model", metavar="MODEL", help=use),
        *(option for role in roles for option in _options_of(role)),
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
            help="Abort a model call after N seconds without data; default 120.",
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
    option = click.option(
        "--mcp-servers",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        envvar="AFFIDAVIT_MCP_SERVERS",
        help="JSON file of MCP servers whose tools models may call; each server needs `allow`.",
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
        click.option(f"--{name}-max-tokens", metavar="N", help=f"Limit of a reply of the {title}."),
        click.option(f"--{name}-base-url", metavar="URL", help=f"Another endpoint for the {title}'s model."),
    ]


PROMPTS_VARIABLE = "AFFIDAVIT_PROMPTS"
VERSION_VARIABLE = "AFFIDAVIT_PROMPT_VERSION"
"""Prompts are instructions, so they are no settings: a file of the repository could name them."""


def prompts_option(command: Command) -> Command:
    return click.option(
        "--prompts",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        envvar=PROMPTS_VARIABLE,
        help="Your own prompts: DIR has a folder per version; the included ones stay available.",
    )(command)


def prompt_options(command: Command) -> Command:
    version = click.option(
        "--prompt-version",
        metavar="VERSION",
        envvar=VERSION_VARIABLE,
        help="Use this prompt version instead of the rollout's; the review does not count for the rollout.",
    )
    return prompts_option(version(command))


def environment_options(command: Command) -> Command:
    options = [
        click.option(
            "--environment",
            "environments",
            multiple=True,
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="For programs, read-only: a virtual environment, node_modules, Go modules; repeatable.",
        ),
        click.option("--run-seconds", metavar="N", help="Time for all programs together; default 600."),
        click.option(
            "--run-at-once", metavar="N", help="How many programs run at one time; default: one a core."
        ),
    ]
    return _with_options(options, command)


def run_options(command: Command) -> Command:
    asked = click.option(
        "--run/--no-run",
        default=None,
        help="Run small programs on both sides, in a sandbox, to show what is wrong; default no.",
    )
    return asked(environment_options(command))


def server_options(command: Command) -> Command:
    program = click.option(
        "--typescript-server",
        metavar="FILE",
        help="The tsc to check types and ask; default: beside the interpreter or on PATH.",
    )
    asked = click.option(
        "--language-servers/--no-language-servers",
        default=None,
        help="Ask ty and TypeScript which references are certain (slower); default no.",
    )
    return asked(program(command))


ASKED_WITHOUT_KEY = "-"
"""`--sign` alone: the key is git's."""


def sign_option(what: str) -> Callable[[Command], Command]:
    """Add --sign to a command; `what` is signed with the key."""
    return click.option(
        "--sign",
        is_flag=False,
        flag_value=ASKED_WITHOUT_KEY,
        type=click.Path(path_type=Path),
        metavar="[KEY]",
        help=f"Sign {what}; default: git's user.signingKey.",
    )


def signing_key(named: Path | None) -> Path:
    """Return the named key, else the one that git signs the user's commits with."""
    if named is not None and str(named) != ASKED_WITHOUT_KEY:
        return named.expanduser()
    git = Git(Path.cwd())
    # The repository's own configuration does not count: it may have come in an archive.
    form = git.attempt("config", "--global", "--get", "gpg.format").stdout.strip()
    key = git.attempt("config", "--global", "--type=path", "--get", "user.signingKey")
    path = key.stdout.decode("utf-8", "replace").strip()
    if form != b"ssh" or key.returncode != 0 or not path or path.startswith("key::"):
        raise SettingsError(
            "no key to sign with; name one (`sign --key KEY`, `post --sign KEY`), or run "
            "`git config --global gpg.format ssh` and `git config --global user.signingKey FILE`"
        )
    return Path(path)
