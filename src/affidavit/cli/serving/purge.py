"""`affidavit purge`: delete the service's reviews that are too old, with all that was kept of them."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from affidavit.cli.options.service import database_of, store_options
from affidavit.config.places import state_folder
from affidavit.errors import InputError


@click.command()
@click.option("--before", type=click.DateTime(["%Y-%m-%d"]), help="Delete what ended before this day, UTC.")
@click.option("--retention-days", type=click.IntRange(1), help="Delete what ended so many days ago.")
@click.option("--tenant", help="Of this tenant alone; default: of all.")
@store_options
def command(
    before: datetime | None,
    retention_days: int | None,
    tenant: str | None,
    data: Path | None,
    database: str | None,
) -> None:
    """Delete finished reviews of the service: events, exchanges, reports, labels, caches of this machine.

    The service may run meanwhile. What stays of each are its lines in the audit log.
    """
    day = _day(before, retention_days)
    # The engine takes a second to load: nobody else waits for it.
    from affidavit.service.parts import Parts  # noqa: PLC0415
    from affidavit.service.settings import ServiceSettings  # noqa: PLC0415

    parts = Parts(ServiceSettings(data or state_folder(), database_of(database)))
    try:
        parts.prepare()
        deleted = asyncio.run(parts.forgetting.forget_before(day, "operator", tenant))
    finally:
        parts.work.close()
        parts.store.close()
    click.echo(f"{deleted:,} reviews that ended before {day} are deleted")


def _day(before: datetime | None, retention_days: int | None) -> str:
    if (before is None) == (retention_days is None):
        raise InputError("name either --before DAY or --retention-days N")
    today = datetime.now(UTC).date()
    day = before.date() if before else today - timedelta(days=retention_days or 0)
    if day > today:
        raise InputError(f"{day} lies in the future: name today (UTC) or an earlier day")
    return day.isoformat()
