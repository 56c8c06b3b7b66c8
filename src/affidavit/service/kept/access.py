"""Store tokens, tenants, repositories and workers."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import and_, delete, insert, select, update

from affidavit.records.record import Record
from affidavit.service.kept.tables import (
    DELIVERIES,
    KNOWN_REPOSITORIES,
    TENANTS,
    TOKENS,
    WORKERS,
    insert_once,
)
from affidavit.store.database import Database, upsert


class KeptToken(Record):
    """A token without its secret."""

    id: str
    tenant: str
    name: str
    roles: tuple[str, ...]
    created_at: str
    expires_at: str | None = None
    revoked_at: str | None = None


class KnownRepository(Record):
    """A repository that requests may name."""

    tenant: str
    name: str
    location: str
    added_at: str


class Access:
    """Tenants, tokens and repositories of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add_tenant(self, name: str, at: str) -> None:
        """Store a tenant; a second time has no effect."""
        with self._database.writing() as connection:
            insert_once(connection, TENANTS, {"name": name, "created_at": at})

    def tenants(self) -> list[str]:
        """Return the names of all tenants."""
        return [row["name"] for row in self._database.rows(select(TENANTS.c.name).order_by(TENANTS.c.name))]

    def count_deletion(self, tenant: str, at: str) -> None:
        """Note that reviews of a tenant were deleted, so that every machine deletes its cache."""
        self.add_tenant(tenant, at)
        row = update(TENANTS).where(TENANTS.c.name == tenant)
        with self._database.writing() as connection:
            connection.execute(row.values(deletions=TENANTS.c.deletions + 1))

    def deletions(self) -> dict[str, int]:
        """Return how often reviews of each tenant were deleted."""
        wanted = select(TENANTS.c.name, TENANTS.c.deletions)
        return {row["name"]: row["deletions"] for row in self._database.rows(wanted)}

    def add_token(self, token: KeptToken, digest: str) -> None:
        """Store a token with its digest."""
        row = {**token.model_dump(), "roles": ",".join(token.roles), "digest": digest}
        with self._database.writing() as connection:
            connection.execute(insert(TOKENS).values(row))

    def token_with(self, digest: str) -> tuple[KeptToken, str] | None:
        """Return the token with this digest, and the stored digest."""
        with self._database.transaction() as connection:
            row = connection.execute(select(TOKENS).where(TOKENS.c.digest == digest)).mappings().one_or_none()
        return (_token(row), row["digest"]) if row else None

    def tokens(self) -> list[KeptToken]:
        """Return all tokens, oldest first."""
        rows = self._database.rows(select(TOKENS).order_by(TOKENS.c.created_at, TOKENS.c.id))
        return [_token(row) for row in rows]

    def revoke(self, token_id: str, at: str) -> bool:
        """Revoke a token; return False if it is not valid."""
        valid = and_(TOKENS.c.id == token_id, TOKENS.c.revoked_at.is_(None))
        with self._database.writing() as connection:
            return connection.execute(update(TOKENS).where(valid).values(revoked_at=at)).rowcount > 0

    def add_repository(self, repository: KnownRepository) -> None:
        """Store a repository, or its new location."""
        with self._database.writing() as connection:
            upsert(connection, KNOWN_REPOSITORIES, repository.model_dump())

    def repositories(self, tenant: str | None) -> list[KnownRepository]:
        """Return the repositories of a tenant; None: of all."""
        wanted = select(KNOWN_REPOSITORIES).order_by(KNOWN_REPOSITORIES.c.tenant, KNOWN_REPOSITORIES.c.name)
        if tenant is not None:
            wanted = wanted.where(KNOWN_REPOSITORIES.c.tenant == tenant)
        return [KnownRepository.model_validate(dict(row)) for row in self._database.rows(wanted)]

    def remove_repository(self, tenant: str, name: str) -> bool:
        """Remove a repository; its reviews stay."""
        is_it = and_(KNOWN_REPOSITORIES.c.tenant == tenant, KNOWN_REPOSITORIES.c.name == name)
        with self._database.writing() as connection:
            return connection.execute(delete(KNOWN_REPOSITORIES).where(is_it)).rowcount > 0

    def is_delivered(self, digest: str) -> bool:
        """Check whether a delivery was acted on before."""
        wanted = select(DELIVERIES.c.digest).where(DELIVERIES.c.digest == digest)
        return bool(self._database.rows(wanted))

    def note_delivery(self, digest: str, at: str) -> None:
        """Note that a delivery was acted on."""
        with self._database.writing() as connection:
            insert_once(connection, DELIVERIES, {"digest": digest, "at": at})

    def forget_deliveries(self, before: str) -> None:
        """Delete what is known of older deliveries."""
        with self._database.writing() as connection:
            connection.execute(delete(DELIVERIES).where(DELIVERIES.c.at < before))


def _token(row: Mapping[Any, Any]) -> KeptToken:
    values = {name: row[name] for name in KeptToken.model_fields}
    return KeptToken.model_validate({**values, "roles": tuple(row["roles"].split(","))})


@dataclass(frozen=True)
class KeptWorker:
    """A worker as the others see it."""

    id: str
    place: str
    process: int
    beat: int


class Workers:
    """The workers of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, worker: KeptWorker, at: str) -> None:
        """Register a worker."""
        with self._database.writing() as connection:
            connection.execute(insert(WORKERS).values(**asdict(worker), started_at=at))

    def beat(self, worker_id: str) -> bool:
        """Count a heartbeat; return False if the worker is not registered any more."""
        mine = update(WORKERS).where(WORKERS.c.id == worker_id)
        with self._database.writing() as connection:
            return connection.execute(mine.values(beat=WORKERS.c.beat + 1)).rowcount > 0

    def all(self) -> list[KeptWorker]:
        """Return the registered workers."""
        wanted = select(*(WORKERS.c[name] for name in ("id", "place", "process", "beat")))
        return [KeptWorker(**row) for row in self._database.rows(wanted.order_by(WORKERS.c.id))]

    def remove(self, worker_id: str) -> bool:
        """Remove a worker."""
        with self._database.writing() as connection:
            return connection.execute(delete(WORKERS).where(WORKERS.c.id == worker_id)).rowcount > 0
