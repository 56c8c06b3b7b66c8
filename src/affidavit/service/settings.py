"""Define the settings of the service."""

import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from affidavit import __version__
from affidavit.config.settings import ENVIRONMENT_PREFIX
from affidavit.errors import SettingsError
from affidavit.forges.address import Host, known_hosts, named_hosts
from affidavit.minds.choice import ModelChoice
from affidavit.ports import Role
from affidavit.reviewing.models import chosen_models
from affidavit.reviewing.options import ReviewOptions
from affidavit.service.kept.postgresql import locate
from affidavit.service.reach import Reach
from affidavit.store.open import SqliteFile, StorePlace

SECRET_ENDINGS = ("_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_DATABASE")
"""Our variables that a child process never gets."""


@dataclass(frozen=True)
class ServiceLimits:
    """The limits of the service."""

    reviews_at_once: int = 4
    """Of one worker."""
    reviews_at_once_per_tenant: int = 4
    """Over all workers."""
    queued_per_tenant: int = 1_000
    calls_at_once: int = 8
    """To one model, of one worker."""
    request_bytes: int = 25_000_000
    diff_bytes: int = 20_000_000
    repository_bytes: int = 5_000_000_000
    requests_per_minute: int = 1_200
    """Of one token or address, to one server."""
    review_seconds: float = 4 * 3600.0


@dataclass(frozen=True)
class ServiceSettings:
    """The settings of a server or worker."""

    data: Path
    database: str | None = None
    """The address of a PostgreSQL database; None: SQLite files in `data`."""
    host: str = "127.0.0.1"
    port: int = 8000
    options: ReviewOptions = field(default_factory=ReviewOptions)
    """Of reviews: models, budgets, servers."""
    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    """Without the secrets of the posting process."""
    posting_secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Only for the posting process."""
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    run_for: frozenset[str] = frozenset()
    """The tenants whose reviews may run programs, in a sandbox."""
    post_for: frozenset[str] = frozenset()
    """The tenants whose reviews may be posted on their pull and merge requests."""
    require_token: bool = False
    metrics_port: int | None = None
    """Where a worker without a server serves its metrics."""
    metrics_host: str = "127.0.0.1"
    allowed_hosts: tuple[str, ...] = ()
    """The names of this server, besides its address: `review.example.org`, `*.example.org`."""
    dead_after_seconds: float = 10.0
    """A worker without a heartbeat for this long counts as dead."""
    drain_seconds: float = 30.0
    """How long a stopping worker waits for its reviews; other workers continue the rest."""
    retention_days: int = 0
    """Finished reviews are deleted after this many days; 0: never."""
    worker_id: str = field(
        default_factory=lambda: f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
    )
    version: str = __version__

    @cached_property
    def location(self) -> StorePlace:
        """Return the location of the store."""
        return locate(self.database or self.data)

    @property
    def is_file(self) -> bool:
        """Check whether the database is a file."""
        return isinstance(self.location, SqliteFile)

    @property
    def is_loopback(self) -> bool:
        """Check whether only this machine can reach the server."""
        return self.host in ("127.0.0.1", "::1", "localhost")

    @property
    def needs_token(self) -> bool:
        """Check whether callers need a token."""
        return self.require_token or not self.is_loopback

    def runs_for(self, tenant: str) -> bool:
        """Check whether programs may run in a tenant's reviews."""
        return tenant in self.run_for

    def posts_for(self, tenant: str) -> bool:
        """Check whether a tenant's reviews may be posted."""
        return tenant in self.post_for

    @property
    def cache(self) -> Path:
        """Return the folder of the caches."""
        return self.data / "cache"

    @cached_property
    def models(self) -> dict[Role, ModelChoice]:
        """Return the model of each role; empty without a model. Raise SettingsError for a coding agent."""
        models = chosen_models(self.options, self.environment)
        if agent := next((one.model for one in models.values() if one.provider == "agent"), None):
            raise SettingsError(f"{agent} is a program with a person's login: the service takes no agents")
        return models

    @cached_property
    def forges(self) -> tuple[Host, ...]:
        """Return the forges whose pull and merge requests may be read."""
        return known_hosts(self.environment)

    @cached_property
    def reach(self) -> Reach:
        """Return the allowed addresses: the public internet, and hosts of the operator."""
        named = (urlsplit(one) for host in named_hosts(self.environment) for one in (host.web, host.api))
        return Reach(exempt=frozenset(one.hostname or "" for one in named))

    @property
    def cell_settings(self) -> dict[str, str]:
        """Return the review settings of the environment, without secrets."""
        return {
            name: value
            for name, value in self.environment.items()
            if name.startswith(ENVIRONMENT_PREFIX) and not name.endswith((*SECRET_ENDINGS, "_RUN"))
        }
