"""Define the options of servers and workers, and make their settings."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from affidavit.cli.options import model_options
from affidavit.config.places import state_folder
from affidavit.service.kept.postgresql import open_store
from affidavit.store.open import Store

if TYPE_CHECKING:
    from affidavit.service.settings import ServiceSettings

Command = TypeVar("Command", bound=Callable[..., Any])
DATABASE_VARIABLE = "AFFIDAVIT_DATABASE"
HOSTS_VARIABLE = "AFFIDAVIT_ALLOWED_HOSTS"
OF_REVIEWS = ("prompts", "prompt_version")
LIMITS = {
    "reviews_at_once": (int, 4, "Concurrent reviews of this process."),
    "reviews_at_once_per_tenant": (int, 4, "Concurrent reviews of one tenant, over all workers."),
    "queued_per_tenant": (int, 1_000, "Waiting reviews of one tenant."),
    "calls_at_once": (int, 8, "Concurrent calls to one model, of this process."),
    "diff_bytes": (int, 20_000_000, "The longest diff."),
    "request_bytes": (int, 25_000_000, "The longest request."),
    "repository_bytes": (int, 5_000_000_000, "The largest repository that is fetched."),
    "requests_per_minute": (int, 1_200, "Requests per minute of one caller."),
}


def service_options(command: Command) -> Command:
    """Add the options that servers and workers share."""
    options = [
        click.option(
            "--data", type=click.Path(path_type=Path), help="Folder of the embedded database and the cache."
        ),
        click.option(
            "--database",
            metavar="URL",
            help=f"postgresql://…, or the variable {DATABASE_VARIABLE}, which hides the password.",
        ),
        *(
            click.option(f"--{name.replace('_', '-')}", type=kind, default=default, metavar="N", help=use)
            for name, (kind, default, use) in LIMITS.items()
        ),
        click.option(
            "--run-for",
            multiple=True,
            metavar="TENANT",
            help="Let programs be run in reviews of a tenant, in a sandbox; repeatable.",
        ),
        click.option(
            "--post-for",
            multiple=True,
            metavar="TENANT",
            help="Let reviews of a tenant be posted on their pull and merge requests; repeatable.",
        ),
        click.option(
            "--retention-days", type=int, default=0, help="Delete finished reviews after this many days."
        ),
        click.option(
            "--drain-seconds", type=float, default=30.0, help="How long a shutdown waits for reviews."
        ),
        click.option(
            "--dead-after-seconds", type=float, default=10.0, help="When a silent worker counts as dead."
        ),
        click.option("--prompts", type=click.Path(path_type=Path), help="Folder with versions of prompts."),
        click.option("--prompt-version", metavar="VERSION", help="Prompts for all reviews."),
    ]
    for option in reversed(options):
        command = option(command)
    return model_options(command)


def store_options(command: Command) -> Command:
    """Add the options that name the service's store."""
    folder = click.option("--data", type=click.Path(path_type=Path), help="Folder of the embedded database.")
    server = click.option("--database", metavar="URL", help=f"postgresql://…, or {DATABASE_VARIABLE}.")
    return folder(server(command))


def store_of(data: Path | None, database: str | None) -> Store:
    """Open the store of the service."""
    return open_store(database_of(database) or data or state_folder())


def database_of(named: str | None) -> str | None:
    """Return the database address from the option or the variable."""
    return named or os.environ.get(DATABASE_VARIABLE) or None


def server_settings(options: dict[str, Any]) -> "ServiceSettings":
    """Return the settings of a server or a worker."""
    from affidavit.forges.credentials import ONLY_FOR_POSTING  # noqa: PLC0415 - only a service needs it
    from affidavit.reviewing.options import ReviewOptions  # noqa: PLC0415 - only a service needs it
    from affidavit.service.settings import ServiceLimits, ServiceSettings  # noqa: PLC0415

    local = ("record", "replay", "resume", "data")
    of_reviews = {name: value for name, value in options.items() if name not in local}
    secrets = {name: value for name, value in os.environ.items() if name in ONLY_FOR_POSTING}
    environment = {name: value for name, value in os.environ.items() if name not in secrets}
    return ServiceSettings(
        data=options["data"] or state_folder(),
        database=options["database"] or environment.get(DATABASE_VARIABLE) or None,
        host=options.get("host", "127.0.0.1"),
        port=options.get("port", 0),
        options=ReviewOptions.from_all(of_reviews),
        environment=environment,
        posting_secrets=secrets,
        limits=ServiceLimits(**{name: options[name] for name in LIMITS}),
        run_for=frozenset(options["run_for"]),
        post_for=frozenset(options["post_for"]),
        require_token=options.get("require_token", False),
        metrics_port=options.get("metrics_port"),
        metrics_host=options.get("metrics_host", "127.0.0.1"),
        allowed_hosts=(*options.get("allowed_hosts", ()), *environment.get(HOSTS_VARIABLE, "").split(",")),
        dead_after_seconds=options["dead_after_seconds"],
        drain_seconds=options["drain_seconds"],
        retention_days=options["retention_days"],
    )
