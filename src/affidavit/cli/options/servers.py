"""The options that say whether language servers are asked, and which programs they are."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def server_options(command: Command) -> Command:
    """Add the options to a command."""
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
