"""`affidavit worker`: do reviews of a queue that other machines share."""

from typing import Any

import click

from affidavit.cli.help import LongCommand
from affidavit.service.commands.options import server_settings, service_options


@click.command(cls=LongCommand)
@click.option(
    "--metrics-port", type=click.IntRange(0, 65535), help="Tell Prometheus at /metrics of this port."
)
@click.option("--metrics-host", default="127.0.0.1", help="The address for that; default this machine only.")
@service_options
def command(**options: Any) -> None:
    """Run the reviews of all servers with the same database.

    SIGTERM lets the reviews under way end first; what is left after --drain-seconds goes on elsewhere.
    """
    settings = server_settings(options)
    # The engine takes a second to load: nobody else waits for it.
    from affidavit.service.parts import run_worker  # noqa: PLC0415

    run_worker(settings)
