"""The options that name a repository, and what they allow it beyond its own folder."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from affidavit.git.confined.boundaries import Allowed

Command = Callable[..., Any]
_OPTIONS = (
    click.option("--repo", type=click.Path(path_type=Path), help="The repository; default: this folder's."),
    click.option(
        "--work-tree",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
        metavar="FOLDER",
        help="Where its files lie, if not in its own folder.",
    ),
    click.option(
        "--allow-alternates",
        is_flag=True,
        envvar="AFFIDAVIT_ALLOW_ALTERNATES",
        help="It may take objects from another repository, as after `git clone --shared`.",
    ),
)
_FILTERS = click.option(
    "--allow-filters",
    is_flag=True,
    envvar="AFFIDAVIT_ALLOW_FILTERS",
    help="Run the filters that its configuration names, such as git-lfs, on files of the working tree.",
)


def repository_options(command: Command) -> Command:
    """Add the options that say which repository is read."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def working_tree_options(command: Command) -> Command:
    """Add the options of a command that reads the working tree, too."""
    return repository_options(_FILTERS(command))


def allowed_of(options: Mapping[str, Any]) -> Allowed:
    """What the options allow."""
    return Allowed(
        work_tree=options["work_tree"],
        alternates=options["allow_alternates"],
        filters=options.get("allow_filters", False),
    )
