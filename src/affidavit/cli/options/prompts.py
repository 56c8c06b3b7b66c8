"""The options that choose the prompts of a review."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])
PROMPTS_VARIABLE = "AFFIDAVIT_PROMPTS"
VERSION_VARIABLE = "AFFIDAVIT_PROMPT_VERSION"
"""Prompts are instructions, so they are no settings: a file of the repository could name them."""


def prompts_option(command: Command) -> Command:
    """Add --prompts to a command."""
    return click.option(
        "--prompts",
        type=click.Path(path_type=Path, file_okay=False),
        metavar="DIR",
        envvar=PROMPTS_VARIABLE,
        help="Your own prompts: DIR has a folder per version; the included ones stay available.",
    )(command)


def prompt_options(command: Command) -> Command:
    """Add the options that choose the prompts of a review."""
    version = click.option(
        "--prompt-version",
        metavar="VERSION",
        envvar=VERSION_VARIABLE,
        help="Use these prompts, whatever a rollout would choose; the review does not count for a rollout.",
    )
    return prompts_option(version(command))
