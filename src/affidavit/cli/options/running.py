"""The options that let programs be run, and those that say what they are given."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def environment_options(command: Command) -> Command:
    """Add the options that say what programs are given."""
    options = [
        click.option(
            "--environment",
            "environments",
            multiple=True,
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="For programs, read-only: a virtual environment, node_modules, Go modules; repeatable.",
        ),
        click.option(
            "--environment-from",
            metavar="COMMAND",
            help="Make one first: run on base, with the network, writing the folder $ENVIRONMENT alone.",
        ),
        click.option("--run-seconds", metavar="N", help="Time for all programs together; default 600."),
        click.option(
            "--run-at-once", metavar="N", help="How many programs run at one time; default: one a core."
        ),
        click.option(
            "--run-image", metavar="IMAGE", help="Run programs with podman or docker, in this image."
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def run_options(command: Command) -> Command:
    """Add the option that lets programs be run, and those that say what they are given."""
    asked = click.option(
        "--run/--no-run",
        default=None,
        help="Run small programs on both sides, in a sandbox, to show what is wrong; default no.",
    )
    return asked(environment_options(command))
