"""`affidavit quality`: how good the reviews of this installation are, as far as people have labelled them."""

from datetime import datetime
from pathlib import Path

import click
from rich.console import Console

from affidavit.cli.screen.outputs import print_text
from affidavit.cli.screen.quality import render_quality
from affidavit.config.places import state_folder
from affidavit.quality.measures import DIMENSIONS, measure_quality
from affidavit.records.measure import Dimension
from affidavit.store.open import open_store


@click.command()
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="Only reviews made on or after this day (UTC).",
)
@click.option(
    "--by",
    "dimensions",
    type=click.Choice(DIMENSIONS),
    multiple=True,
    help="Only these tables; repeatable. Default: all of them.",
)
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json"]),
    default="text",
    help="Goes to standard output; default text.",
)
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the store.")
def command(
    since: datetime | None, dimensions: tuple[Dimension, ...], output: str, data: Path | None
) -> None:
    """Say how often findings were wrong, how sure that is, and what became of everything else.

    The rate is: labelled wrong, among the findings that were shown and labelled (`affidavit label`).
    The same finding in several reports of a repository counts once. In brackets: the 95% interval.

    Every number comes from the kept reports and labels; nothing is sent anywhere.
    """
    store = open_store(data or state_folder())
    quality = measure_quality(
        store, since=since.strftime("%Y-%m-%d") if since else None, dimensions=dimensions or DIMENSIONS
    )
    if output == "text":
        render_quality(quality, console=Console())
    else:
        print_text(quality.model_dump_json(indent=1, ensure_ascii=True) + "\n")
