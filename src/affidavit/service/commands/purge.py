"""`affidavit purge`: delete reviews that are too old, of the command line and of the service."""

import asyncio
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from affidavit.config.places import state_folder
from affidavit.errors import InputError
from affidavit.records.iteration import DEFAULT_TENANT
from affidavit.service.commands.options import database_of, store_options
from affidavit.service.kept.postgresql import open_store


@click.command()
@click.option("--older-than", required=True, metavar="DAYS", help="Delete older ones than this, such as 30d.")
@click.option("--tenant", help="Only this tenant's; default: all. The command line's tenant is `default`.")
@store_options
def command(
    older_than: str,
    tenant: str | None,
    data: Path | None,
    database: str | None,
) -> None:
    """Delete old reviews: reports and labels; of the service also events, exchanges and caches.

    The service may run meanwhile.
    """
    day = _day(older_than)
    folder, address = data or state_folder(), database_of(database)
    with open_store(address or folder) as store:
        if not store.exists():
            raise InputError(f"there is no store {store.name}")
        # A store without reviews has nothing to delete, and needs no queue.
        has_reviews = bool(address) or (folder / "work.db").exists()
        deleted = _purge_service(folder, address, day, tenant) if has_reviews else 0
        if tenant in (None, DEFAULT_TENANT):
            deleted += store.reports.delete_before(day)
    click.echo(f"{deleted:,} reviews that ended before {day} are deleted")


def _purge_service(folder: Path, address: str | None, day: str, tenant: str | None) -> int:
    # The engine takes a second to load, so other commands do not load it.
    from affidavit.service.parts import Parts  # noqa: PLC0415
    from affidavit.service.settings import ServiceSettings  # noqa: PLC0415

    parts = Parts(ServiceSettings(folder, address))
    try:
        parts.prepare()
        return asyncio.run(parts.forgetting.forget_before(day, tenant))
    finally:
        parts.work.close()
        parts.store.close()


def _day(older_than: str) -> str:
    days = re.fullmatch(r"([0-9]{1,5})d?", older_than)
    if days is None:
        raise InputError(f"--older-than is {older_than!r}: write a number of days, such as 30d")
    return (datetime.now(UTC).date() - timedelta(days=int(days[1]))).isoformat()
