"""`affidavit token`: make, list and revoke tokens; a token is shown once."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import click

from affidavit.errors import InputError
from affidavit.events import iso, now_iso
from affidavit.service.commands.options import store_of, store_options
from affidavit.service.kept.access import Access, KeptToken

ROLES = ("read", "submit", "post", "admin")


@click.group()
def command() -> None:
    """Make, list and revoke the tokens of the service."""


@command.command()
@click.argument("name")
@click.option("--role", "roles", type=click.Choice(ROLES), multiple=True, required=True, help="Repeatable.")
@click.option("--tenant", default="default", help="Tenants cannot see each other.")
@click.option("--days", type=click.IntRange(1), help="How long it is valid; default: until revoked.")
@store_options
def create(
    name: str, roles: tuple[str, ...], tenant: str, days: int | None, data: Path | None, database: str | None
) -> None:
    """Make a token for NAME, and print it; it cannot be shown again."""
    from affidavit.service.api.access import digest_of, new_token  # noqa: PLC0415 - loads the framework

    token = new_token()
    expires = iso(datetime.now(UTC) + timedelta(days=days)) if days else None
    kept = KeptToken(
        id=uuid4().hex[:12],
        tenant=tenant,
        name=name,
        roles=tuple(dict.fromkeys(roles)),
        created_at=now_iso(),
        expires_at=expires,
    )
    with store_of(data, database) as store:
        access = Access(store.database)
        access.add_tenant(tenant, now_iso())
        access.add_token(kept, digest_of(token))
    click.echo(token)


@command.command(name="list")
@store_options
def list_tokens(data: Path | None, database: str | None) -> None:
    """List tokens, without their secrets."""
    with store_of(data, database) as store:
        for one in Access(store.database).tokens():
            state = "revoked" if one.revoked_at else f"until {one.expires_at}" if one.expires_at else "valid"
            click.echo(f"{one.id}  {one.tenant}  {one.name}  {','.join(one.roles)}  {state}")


@command.command()
@click.argument("token_id")
@store_options
def revoke(token_id: str, data: Path | None, database: str | None) -> None:
    """Revoke the token with this id (see `list`)."""
    with store_of(data, database) as store:
        if not Access(store.database).revoke(token_id, now_iso()):
            raise InputError(f"there is no valid token {token_id}: `affidavit token list` shows them")
