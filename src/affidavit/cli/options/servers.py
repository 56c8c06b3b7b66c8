"""The options that say whether language servers are asked, and which programs they are."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from affidavit.config.settings import Settings

if TYPE_CHECKING:
    from affidavit.language_servers.pool import ServerPool

Command = TypeVar("Command", bound=Callable[..., Any])
SERVER_SETTINGS = ("language_servers", "typescript_server")


def server_options(command: Command) -> Command:
    """Add the options to a command."""
    program = click.option(
        "--typescript-server",
        metavar="FILE",
        help="The tsc of TypeScript 7; default: beside the interpreter or on PATH.",
    )
    asked = click.option(
        "--language-servers/--no-language-servers",
        default=None,
        help="Ask ty and TypeScript which references are certain (slower); default no.",
    )
    return asked(program(command))


def server_pool(settings: Settings, reviewed_folder: Path | None) -> "ServerPool | None":
    """The servers to ask; None unless the user wants them."""
    if not settings.language_servers:
        return None
    from affidavit.language_servers.pool import ServerPool  # noqa: PLC0415 - who asks none does not pay for it
    from affidavit.language_servers.servers import SERVERS, TSC, find_servers  # noqa: PLC0415

    program = settings.typescript_server
    named = {TSC.name: Path(program)} if program is not None else {}
    return ServerPool(find_servers(reviewed_folder=reviewed_folder, programs=named), wanted=SERVERS)
