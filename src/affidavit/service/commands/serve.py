"""`affidavit serve`: reviews over REST and a live stream, with the page, in one process or in many."""

from typing import Any

import click

from affidavit.cli.help import LongCommand
from affidavit.service.commands.options import HOSTS_VARIABLE, server_settings, service_options


@click.command(cls=LongCommand)
@click.option("--host", default="127.0.0.1", help="The address to listen on; default: this machine only.")
@click.option("--port", default=8000, type=click.IntRange(0, 65535), help="Default 8000; 0: any free one.")
@click.option("--work/--no-work", "works", default=True, help="Run reviews in this process, too.")
@click.option("--require-token", is_flag=True, help="Require a token on this machine, too.")
@click.option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="A name by which this server is called, such as review.example.org or *.example.org; also"
    f" {HOSTS_VARIABLE}, with commas.",
)
@service_options
def command(works: bool, **options: Any) -> None:
    """Serve the API and the page, and run reviews.

    \b
    affidavit serve                                     this machine, an embedded database, no set-up
    affidavit serve --model anthropic:claude-…          with a model
    affidavit serve --database postgresql://… --host 0.0.0.0
    affidavit worker --database postgresql://…          more machines for the same queue
    """
    settings = server_settings(options)
    # FastAPI and the engine take a second to load, so other commands do not load them.
    from affidavit.service.run import run_server  # noqa: PLC0415

    run_server(settings, works=works)
