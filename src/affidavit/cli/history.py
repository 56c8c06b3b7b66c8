"""`affidavit history`: the reviews of a change, their scores, what was followed, and when to stop."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from affidavit.cli.outputs import TEXT, NamedOutput, check_outputs, parse_output, write_all
from affidavit.config.places import state_folder
from affidavit.errors import InputError, NotARepositoryError
from affidavit.git.location import find_repository, is_same_address
from affidavit.iterations.history import Story, as_json, render_list, render_story, tell
from affidavit.records.iteration import StoredSeries
from affidavit.render.exchange.shapes import as_json as written
from affidavit.render.safe_text import json_without_commands
from affidavit.reviewing.series import repository_at
from affidavit.store.open import Store, open_store

FORMATS = (TEXT, "json")


@click.command()
@click.argument("series", required=False)
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME[=FILE]",
    help="text, json; repeatable. No FILE: standard output.",
)
@click.option("--repository", metavar="NAME", help="All series of this repository; default: this folder's.")
@click.option("--all", "every", is_flag=True, help="All series of all repositories.")
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the store.")
def command(series: str | None, **options: Any) -> None:
    """Show the reviews of SERIES: a branch, a request's address, or a name; without one, list all series.

    For each review: its score and verdict, whether its feedback was followed, and what that changed. Alerts
    say when an issue repeats, the score does not move, or the change goes back and forth.
    """
    outputs = [parse_output(text, FORMATS) for text in options["formats"] or (TEXT,)]
    check_outputs(outputs)
    with open_store(options["data"] or state_folder()) as store:
        if series is None:
            _tell_list(_known(store), outputs, options)
            return
        story = _story(store, series, _wanted(options))
    write_all(
        outputs,
        lambda _name: json_without_commands(written(as_json(story))),
        lambda console: render_story(story, console=console),
    )


def _tell_list(known: list[StoredSeries], outputs: Sequence[NamedOutput], options: Mapping[str, Any]) -> None:
    found = _listed(known, options)

    def draw(console: Console) -> None:
        render_list(found, console=console, elsewhere=len(known) - len(found))

    write_all(outputs, lambda _name: _list_json(found), draw)


def _list_json(found: list[StoredSeries]) -> str:
    return json_without_commands(written([one.model_dump(mode="json") for one in found]))


def _listed(known: list[StoredSeries], options: Mapping[str, Any]) -> list[StoredSeries]:
    """Return this repository's series, or all if asked for or outside a repository."""
    wanted = _wanted(options)
    return [one for one in known if not wanted or _belongs(one, wanted)]


def _wanted(options: Mapping[str, Any]) -> str:
    return options["repository"] or ("" if options["every"] else _here())


def _belongs(one: StoredSeries, repository: str) -> bool:
    # A request is reviewed from a copy of ours; its address begins with the repository's.
    request = re.split(r"/-/merge_requests/|/pull/|/pulls/", one.series)[0]
    return is_same_address(one.repository, repository) or is_same_address(request, repository)


def _known(store: Store) -> list[StoredSeries]:
    return store.iterations.series() if store.exists() else []


def _story(store: Store, series: str, wanted: str) -> Story:
    known = _known(store)
    own = [one for one in known if not wanted or _belongs(one, wanted)]
    # The address of a request is a whole name.
    named = [one for one in (known if "://" in series else own) if one.series == series]
    if len(named) > 1:
        places = ", ".join(one.repository for one in named)
        raise InputError(
            f"several repositories have a series {series!r}: {places}; choose one with --repository"
        )
    if not named:
        names = ", ".join(dict.fromkeys(one.series for one in own)) or "none"
        whose = " of this repository" if wanted else ""
        raise InputError(f"no series of reviews is called {series!r}; stored series{whose}: {names[:500]}")
    return tell(store.iterations.of(named[0].repository, series))


def _here() -> str:
    try:
        location = find_repository(None)
    except NotARepositoryError:
        return ""
    return repository_at(location)
