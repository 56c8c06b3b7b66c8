"""The options that narrow a change or name settings for it, and what those ask for that name one."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from affidavit.cli.options.discussion import read_discussion
from affidavit.cli.options.repository import allowed_of
from affidavit.errors import InputError, SettingsError
from affidavit.forges.address import is_request_url, refuse_without_scheme
from affidavit.stages.looking.intake import ChangeRequest, OpenedChange, open_change

Command = TypeVar("Command", bound=Callable[..., Any])


def path_options(command: Command) -> Command:
    """Add the options that say which paths of a change are looked at."""
    exclude = click.option("--exclude", metavar="GLOBS", help="Do not review these paths.")
    return click.option("--include", metavar="GLOBS", help="Review only these paths.")(exclude(command))


def config_option(command: Command) -> Command:
    """Add --config to a command."""
    path, text = click.Path(path_type=Path), "Settings file to use instead of the base commit's."
    return click.option("--config", type=path, help=text)(command)


def requested_change(options: Mapping[str, Any]) -> ChangeRequest:
    """The change that a command is about; `-` as the target reads a diff from standard input."""
    if options["target"] == "":
        raise InputError("the target is empty: name a change, or leave it out for what is not committed")
    is_input_taken = options["target"] == "-"
    return ChangeRequest(
        target=options["target"],
        staged=options["staged"],
        repo=options["repo"],
        allowed=allowed_of(options),
        title=options["title"],
        description=options.get("description", ""),
        diff_text=sys.stdin.buffer.read() if is_input_taken else None,
        discussion=read_discussion(options.get("discussion"), is_input_taken=is_input_taken),
        may_be_empty=True,
    )


def opened_change(options: Mapping[str, Any]) -> OpenedChange:
    """The change that a command is about, opened: from here, or from the forge whose address is given."""
    if is_request_url(options["target"]):
        from affidavit.cli.options.pull_request import open_request  # noqa: PLC0415 - few ask a forge

        return open_request(options)
    refuse_without_scheme(options["target"])
    return open_change(requested_change(options))


def read_config(path: Path | None) -> tuple[str, bytes] | None:
    """The settings file of `--config`, with its name; None where none is named."""
    if path is None:
        return None
    try:
        return str(path), path.read_bytes()
    except OSError as error:
        raise SettingsError(f"--config: {path}: {error.strerror}") from error
