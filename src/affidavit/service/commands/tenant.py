"""`affidavit tenant`: what a tenant may ask for, where that is not what all may."""

from pathlib import Path

import click

from affidavit.errors import InputError
from affidavit.events import now_iso
from affidavit.service.commands.options import store_of, store_options
from affidavit.service.kept.access import Access

LIMITS = {"usd_per_day": "US dollars a day", "queued_per_tenant": "reviews waiting"}
"""What a tenant may have of its own, and how it is listed."""


@click.group()
def command() -> None:
    """Give tenants of the service limits of their own."""


@command.command(name="set")
@click.argument("name")
@click.option("--usd-per-day", type=click.FloatRange(0), help="What it may spend a day; 0: no limit.")
@click.option("--queued-per-tenant", type=click.IntRange(0), help="How many of its reviews may wait.")
@click.option("--usual", is_flag=True, help="Take its own limits back: it has those of all.")
@store_options
def set_limits(
    name: str,
    usd_per_day: float | None,
    queued_per_tenant: int | None,
    usual: bool,
    data: Path | None,
    database: str | None,
) -> None:
    """Limit the tenant NAME by itself; what is not named stays as it is. It holds at once, on all servers."""
    given = {"usd_per_day": usd_per_day, "queued_per_tenant": queued_per_tenant}
    chosen = {limit: value for limit, value in given.items() if value is not None}
    if not chosen and not usual:
        raise InputError("name a limit: --usd-per-day, --queued-per-tenant, or --usual")
    with store_of(data, database) as store:
        access = Access(store.database)
        known = {} if usual else access.limits_of(name)
        access.set_tenant(name, now_iso(), {**known, **chosen})


@command.command(name="list")
@store_options
def list_tenants(data: Path | None, database: str | None) -> None:
    """List tenants with the limits of their own."""
    with store_of(data, database) as store:
        for name, limits in Access(store.database).tenants().items():
            own = [f"{limits[limit]:g} {words}" for limit, words in LIMITS.items() if limit in limits]
            click.echo(f"{name}  {', '.join(own) or 'as all'}")
