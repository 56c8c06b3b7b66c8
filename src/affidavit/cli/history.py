"""`affidavit history`: the reviews of a change, their scores, what was followed, and when to stop."""

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from affidavit.cli.screen.drawn_outputs import TEXT, parse_output, write_all
from affidavit.cli.screen.outputs import check_outputs
from affidavit.config.places import state_folder
from affidavit.errors import InputError, NotARepositoryError
from affidavit.git.confined.location import find_repository
from affidavit.iterations.history.page import story_page
from affidavit.iterations.history.story import Story, as_json, tell
from affidavit.iterations.history.text import render_list, render_story
from affidavit.records.iteration import StoredSeries
from affidavit.render.exchange.shapes import as_json as written
from affidavit.render.safe_text import json_without_commands
from affidavit.store.open import Store, open_store

FORMATS = (TEXT, "json", "html")


@click.command()
@click.argument("series", required=False)
@click.option(
    "--format",
    "formats",
    multiple=True,
    metavar="NAME[=FILE]",
    help="text, json, html; repeatable. No FILE: standard output.",
)
@click.option("--repository", metavar="NAME", help="Of several repositories with such a row: this one.")
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the store.")
def command(series: str | None, **options: Any) -> None:
    """Show the row of reviews SERIES: a branch, a request's address, or a name; without one, all rows.

    For each review: its score and verdict, whether its feedback was followed, and what that changed. Alerts
    say when an issue repeats, the score stands still, the change goes back and forth, or gets worse.
    """
    outputs = [parse_output(text, FORMATS) for text in options["formats"] or (TEXT,)]
    check_outputs(outputs)
    store = open_store(options["data"] or state_folder())
    if series is None:
        found = store.iterations.series() if store.exists() else []
        if any(output.name == "html" for output in outputs):
            raise InputError("name the row that the page is about: affidavit history SERIES --format html")

        def draw(console: Console) -> None:
            render_list(found, console=console)

        write_all(outputs, lambda _name: _list_json(found), draw)
        return
    story = _story(store, series, options["repository"])
    write_all(outputs, lambda name: _rendered(story, name), lambda console: _draw(story, console))


def _draw(story: Story, console: Console) -> None:
    render_story(story, console=console)


def _rendered(story: Story, name: str) -> str:
    return story_page(story) if name == "html" else json_without_commands(written(as_json(story)))


def _list_json(found: list[StoredSeries]) -> str:
    return json_without_commands(written([one.model_dump(mode="json") for one in found]))


def _story(store: Store, series: str, repository: str | None) -> Story:
    known = store.iterations.series() if store.exists() else []
    named = [one for one in known if one.series == series and repository in (None, one.repository)]
    if len(named) > 1:
        here = _here()
        named = [one for one in named if one.repository == here] or named
    if len(named) > 1:
        places = ", ".join(one.repository for one in named)
        raise InputError(f"several repositories have a row {series!r}: {places}; name one with --repository")
    if not named:
        names = ", ".join(dict.fromkeys(one.series for one in known)) or "none"
        raise InputError(f"no row of reviews is called {series!r}; kept are: {names[:500]}")
    return tell(store.iterations.of(named[0].repository, series))


def _here() -> str:
    try:
        location = find_repository(None)
    except NotARepositoryError:
        return ""
    return str(location.work_tree or location.git_dir)
