"""`affidavit repository`: name repositories that requests may use."""

from pathlib import Path

import click

from affidavit.errors import InputError, NotARepositoryError
from affidavit.events import now_iso
from affidavit.git.location import find_repository
from affidavit.service.commands.options import store_of, store_options
from affidavit.service.kept.access import Access, KnownRepository

TENANT = click.option("--tenant", default="default", help="The tenant that owns it.")


@click.group()
def command() -> None:
    """Name repositories on the service's machines."""


@command.command()
@click.argument("name")
@click.argument("folder", type=click.Path(path_type=Path))
@TENANT
@store_options
def add(name: str, folder: Path, tenant: str, data: Path | None, database: str | None) -> None:
    """Let requests name the repository in FOLDER as NAME; workers need it at the same path."""
    _refuse_unusable(folder)
    with store_of(data, database) as store:
        known = KnownRepository(tenant=tenant, name=name, location=str(folder.resolve()), added_at=now_iso())
        Access(store.database).add_repository(known)


def _refuse_unusable(folder: Path) -> None:
    try:
        find_repository(folder)
    except NotARepositoryError as error:
        raise NotARepositoryError(f"{folder} is not in a git repository; pass the folder of one") from error
    except InputError as error:
        # The usual advice names options of a review, which do not exist here.
        found, _, _ = str(error).partition(": if ")
        raise InputError(
            f"{found}: the service reads a repository only if all of it is in one folder; make such a"
            f" copy with `git clone --bare --no-local {folder} COPY`, and add that"
        ) from error


@command.command(name="list")
@store_options
def list_repositories(data: Path | None, database: str | None) -> None:
    """List the named repositories."""
    with store_of(data, database) as store:
        for one in Access(store.database).repositories(None):
            click.echo(f"{one.tenant}  {one.name}  {one.location}")


@command.command()
@click.argument("name")
@TENANT
@store_options
def remove(name: str, tenant: str, data: Path | None, database: str | None) -> None:
    """Remove a repository; its reviews stay."""
    with store_of(data, database) as store:
        if not Access(store.database).remove_repository(tenant, name):
            raise InputError(f"{tenant} has no repository {name}: `affidavit repository list` shows them")
