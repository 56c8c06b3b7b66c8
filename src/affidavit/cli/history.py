"""`affidavit history`: show the reviews of a change, their scores and alerts."""

import re
from collections.abc import Sequence
from typing import Any

import click

from affidavit.cli.options import data_option, format_option
from affidavit.cli.outputs import print_json, text_console
from affidavit.config.places import state_folder
from affidavit.errors import InputError, NotARepositoryError
from affidavit.git.location import find_repository, is_same_address
from affidavit.iterations.history import as_json, render_list, render_story, tell
from affidavit.records.iteration import StoredSeries
from affidavit.reviewing.series import repository_at
from affidavit.store.open import open_store


@click.command()
@click.argument("series", required=False)
@format_option
@click.option("--repository", metavar="NAME", help="All series of this repository; default: this folder's.")
@click.option("--all", "every", is_flag=True, help="All series of all repositories.")
@data_option
def command(series: str | None, **options: Any) -> None:
    """Show the reviews of SERIES: a branch, a request's address, or a name; without one, list all series.

    For each review: its score and verdict, whether its feedback was followed, and what that changed. Alerts
    say when an issue repeats, the score does not move, or the change goes back and forth.
    """
    # Outside a repository, all series are its own.
    wanted = options["repository"] or ("" if options["every"] else _here())
    with open_store(options["data"] or state_folder()) as store:
        known = store.iterations.series() if store.exists() else []
        own = [one for one in known if not wanted or _belongs(one, wanted)]
        if series is None:
            _show_list(own, len(known) - len(own), options["output"])
            return
        # The address of a request is a whole name.
        found = [one for one in (known if "://" in series else own) if one.series == series]
        whose = " of this repository" if wanted else ""
        one = _only(found, series, [one.series for one in own], whose)
        story = tell(store.iterations.of(one.repository, series))
    if options["output"] == "json":
        print_json(as_json(story))
    else:
        render_story(story, console=text_console())


def _show_list(own: Sequence[StoredSeries], elsewhere: int, output: str) -> None:
    if output == "json":
        print_json([one.model_dump(mode="json") for one in own])
    else:
        render_list(own, console=text_console(), elsewhere=elsewhere)


def _belongs(one: StoredSeries, repository: str) -> bool:
    # A request is reviewed in a cached clone; its address begins with the repository's.
    request = re.split(r"/-/merge_requests/|/pull/|/pulls/", one.series)[0]
    return is_same_address(one.repository, repository) or is_same_address(request, repository)


def _only(found: Sequence[StoredSeries], series: str, names: Sequence[str], whose: str) -> StoredSeries:
    """Return the series that was found; raise InputError unless there is exactly one."""
    if len(found) > 1:
        places = ", ".join(one.repository for one in found)
        raise InputError(
            f"several repositories have a series {series!r}: {places}; choose one with --repository"
        )
    if not found:
        known = ", ".join(dict.fromkeys(names)) or "none"
        raise InputError(f"no series of reviews is called {series!r}; stored series{whose}: {known[:500]}")
    return found[0]


def _here() -> str:
    try:
        location = find_repository(None)
    except NotARepositoryError:
        return ""
    return repository_at(location)
