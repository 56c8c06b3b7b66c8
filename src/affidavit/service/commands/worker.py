"""`affidavit worker`: do reviews of a queue that other machines share."""

from typing import Any

import click

from affidavit.cli.help import LongCommand
from affidavit.service.commands.options import server_settings, service_options


@click.command(cls=LongCommand)
@click.option("--metrics-port", type=click.IntRange(0, 65535), help="Serve Prometheus metrics on this port.")
@click.option(
    "--metrics-host", default="127.0.0.1", help="The address of the metrics; default: this machine only."
)
@service_options
def command(**options: Any) -> None:
    """Run the reviews of all servers with the same database.

    After SIGTERM, running reviews may finish; after --drain-seconds, others continue them.
    """
    settings = server_settings(options)
    # The engine takes a second to load, so other commands do not load it.
    from affidavit.service.parts import run_worker  # noqa: PLC0415

    run_worker(settings)
