"""`affidavit context`: show the map of a change."""

import os
from contextlib import ExitStack
from typing import Any

import click

from affidavit.agents.panel import assemble_readers, made_precise
from affidavit.cli.change import opened_change, say_hints
from affidavit.cli.options import (
    format_option,
    no_cache_option,
    path_options,
    quiet_option,
    server_options,
    working_tree_options,
)
from affidavit.cli.outputs import print_text, text_console
from affidavit.config.places import cache_folder
from affidavit.config.settings import load_settings
from affidavit.context.gather import gather_context
from affidavit.context.relevance import MAX_RELATED, TOKEN_BUDGET
from affidavit.context.view import render_context, render_context_json
from affidavit.diff.skipping import mark_skipped
from affidavit.git.blob_cache import BlobCache
from affidavit.records.change import Change
from affidavit.records.context import ContextMap
from affidavit.reviewing.options import ReviewOptions
from affidavit.reviewing.panel import server_pool
from affidavit.stages.intake import OpenedChange
from affidavit.symbols.import_graph import collection_paused


@click.command()
@click.argument("target", required=False)
@click.option("--staged", is_flag=True, help="The map of the staged changes.")
@working_tree_options
@click.option("--title", default="", help="The title of the change.")
@format_option
@click.option(
    "--max-files", type=click.IntRange(0, 1000), default=MAX_RELATED, show_default=True, help="Related files."
)
@click.option(
    "--token-budget",
    type=click.IntRange(0, 1_000_000),
    default=TOKEN_BUDGET,
    show_default=True,
    help="Token limit of the related files.",
)
@path_options
@server_options
@no_cache_option
@quiet_option
def command(**options: Any) -> None:
    """Show the map of a change, to plan how to read it.

    What it touches, what depends on it, what it depends on, which tests cover it, who wrote the lines and
    why, each with its reason. Nothing is judged.

    TARGET is A..B, A...B, one commit, a diff file, - for a diff on standard input, or the address of a pull
    or merge request.
    With no target: uncommitted changes.
    """
    with opened_change(options) as opened:
        if not options["quiet"]:
            say_hints(opened)
        # Garbage collection over the graph of a large tree took a fifth of the time.
        with collection_paused():
            change, context = _gather(opened, options)
    if options["output"] == "json":
        print_text(render_context_json(change, context))
    else:
        render_context(change, context, console=text_console())


def _gather(opened: OpenedChange, options: dict[str, Any]) -> tuple[Change, ContextMap]:
    flags = ReviewOptions.from_all(options).flags
    repository = opened.repository
    settings = load_settings(repository.base, os.environ, flags, tip=repository.tip)
    change = mark_skipped(opened.change, repository, settings.leaves_out)
    cache = BlobCache(None if options["no_cache"] else cache_folder())
    with ExitStack() as servers:
        readers = assemble_readers(cache)
        pool = server_pool(settings, opened.repository.folder)
        if pool is not None:
            readers = made_precise(readers, servers.enter_context(pool))
        context = gather_context(
            change,
            opened.repository,
            readers,
            max_files=options["max_files"],
            token_budget=options["token_budget"],
        )
    return change, context
