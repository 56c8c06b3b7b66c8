"""Keep tokens, tenants, repositories, the audit and workers."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import and_, delete, func, insert, select, update

from affidavit.records.record import Record
from affidavit.store.database import Database, insert_once, upsert
from affidavit.store.tables import AUDIT, DELIVERIES, KNOWN_REPOSITORIES, TENANTS, TOKENS, WORKERS

DELETED = "review.delete"
"""The action that caches listen for."""


class KeptToken(Record):
    """A token without what opens anything."""

    id: str
    tenant: str
    name: str
    roles: tuple[str, ...]
    created_at: str
    expires_at: str | None = None
    revoked_at: str | None = None


class KnownRepository(Record):
    """A repository that the operator has told the service about."""

    tenant: str
    name: str
    location: str
    added_at: str


class AuditEntry(Record):
    """One thing that somebody did."""

    at: str
    tenant: str
    who: str
    action: str
    target: str
    detail: str = ""


class Access:
    """Tenants, tokens, repositories and the audit log of one store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def set_tenant(self, name: str, at: str, limits: Mapping[str, Any] | None = None) -> None:
        """Keep a tenant; its limits stay where none are given."""
        with self._database.writing() as connection:
            insert_once(connection, TENANTS, {"name": name, "created_at": at, "limits": "{}"})
            if limits is not None:
                row = update(TENANTS).where(TENANTS.c.name == name)
                connection.execute(row.values(limits=json.dumps(dict(limits))))

    def tenants(self) -> dict[str, dict[str, Any]]:
        """Every tenant with the limits of its own."""
        with self._database.transaction() as connection:
            rows = connection.execute(select(TENANTS.c.name, TENANTS.c.limits).order_by(TENANTS.c.name))
            return {row.name: json.loads(row.limits) for row in rows}

    def limits_of(self, tenant: str) -> dict[str, Any]:
        """The limits that a tenant has for itself."""
        wanted = select(TENANTS.c.limits).where(TENANTS.c.name == tenant)
        with self._database.transaction() as connection:
            text = connection.execute(wanted).scalar_one_or_none()
        limits: dict[str, Any] = json.loads(text) if text else {}
        return limits

    def add_token(self, token: KeptToken, digest: str) -> None:
        """Keep a token by its digest."""
        row = {**token.model_dump(), "roles": ",".join(token.roles), "digest": digest}
        with self._database.writing() as connection:
            connection.execute(insert(TOKENS).values(row))

    def token_with(self, digest: str) -> tuple[KeptToken, str] | None:
        """The token with this digest, and the digest as it is kept."""
        with self._database.transaction() as connection:
            row = connection.execute(select(TOKENS).where(TOKENS.c.digest == digest)).mappings().one_or_none()
        return (_token(row), row["digest"]) if row else None

    def tokens(self) -> list[KeptToken]:
        """All tokens, the oldest first."""
        with self._database.transaction() as connection:
            rows = connection.execute(select(TOKENS).order_by(TOKENS.c.created_at, TOKENS.c.id)).mappings()
            return [_token(row) for row in rows]

    def revoke(self, token_id: str, at: str) -> bool:
        """Let a token open nothing any more."""
        valid = and_(TOKENS.c.id == token_id, TOKENS.c.revoked_at.is_(None))
        with self._database.writing() as connection:
            return connection.execute(update(TOKENS).where(valid).values(revoked_at=at)).rowcount > 0

    def add_repository(self, repository: KnownRepository) -> None:
        """Tell the service about a repository, or about its new place."""
        with self._database.writing() as connection:
            upsert(connection, KNOWN_REPOSITORIES, repository.model_dump())

    def repositories(self, tenant: str | None) -> list[KnownRepository]:
        """The repositories of a tenant; of all (None)."""
        wanted = select(KNOWN_REPOSITORIES).order_by(KNOWN_REPOSITORIES.c.tenant, KNOWN_REPOSITORIES.c.name)
        if tenant is not None:
            wanted = wanted.where(KNOWN_REPOSITORIES.c.tenant == tenant)
        with self._database.transaction() as connection:
            rows = connection.execute(wanted).mappings()
            return [KnownRepository.model_validate(dict(row)) for row in rows]

    def remove_repository(self, tenant: str, name: str) -> bool:
        """Forget a repository; what was reviewed of it stays."""
        is_it = and_(KNOWN_REPOSITORIES.c.tenant == tenant, KNOWN_REPOSITORIES.c.name == name)
        with self._database.writing() as connection:
            return connection.execute(delete(KNOWN_REPOSITORIES).where(is_it)).rowcount > 0

    def note(self, entry: AuditEntry) -> None:
        """Add to the audit log."""
        with self._database.writing() as connection:
            connection.execute(insert(AUDIT).values(entry.model_dump()))

    def audit(self, tenant: str | None, limit: int) -> list[AuditEntry]:
        """What was done, the newest first."""
        wanted = select(*(AUDIT.c[name] for name in AuditEntry.model_fields))
        if tenant is not None:
            wanted = wanted.where(AUDIT.c.tenant == tenant)
        with self._database.transaction() as connection:
            rows = connection.execute(wanted.order_by(AUDIT.c.number.desc()).limit(limit)).mappings()
            return [AuditEntry.model_validate(dict(row)) for row in rows]

    def deletions(self) -> dict[str, int]:
        """Of each tenant that deleted reviews, the number of the last time."""
        wanted = (
            select(AUDIT.c.tenant, func.max(AUDIT.c.number))
            .where(AUDIT.c.action == DELETED)
            .group_by(AUDIT.c.tenant)
        )
        with self._database.transaction() as connection:
            return {row[0]: row[1] for row in connection.execute(wanted)}

    def is_delivered(self, forge: str, delivery: str) -> bool:
        """Whether a delivery came before, and what it asks for was done."""
        is_it = and_(DELIVERIES.c.forge == forge, DELIVERIES.c.id == delivery)
        with self._database.transaction() as connection:
            return connection.execute(select(DELIVERIES.c.id).where(is_it)).one_or_none() is not None

    def note_delivery(self, forge: str, delivery: str, at: str) -> None:
        """Note that what a delivery asks for was done."""
        with self._database.writing() as connection:
            insert_once(connection, DELIVERIES, {"forge": forge, "id": delivery, "at": at})

    def forget_before(self, at: str) -> None:
        """Delete deliveries and audit entries that are older."""
        with self._database.writing() as connection:
            connection.execute(delete(DELIVERIES).where(DELIVERIES.c.at < at))
            connection.execute(delete(AUDIT).where(AUDIT.c.at < at))


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
        """A worker begins."""
        with self._database.writing() as connection:
            connection.execute(insert(WORKERS).values(**asdict(worker), started_at=at))

    def beat(self, worker_id: str) -> bool:
        """A worker lives; False where the others have given it up."""
        mine = update(WORKERS).where(WORKERS.c.id == worker_id)
        with self._database.writing() as connection:
            return connection.execute(mine.values(beat=WORKERS.c.beat + 1)).rowcount > 0

    def all(self) -> list[KeptWorker]:
        """Everybody who has begun and not ended."""
        wanted = select(*(WORKERS.c[name] for name in ("id", "place", "process", "beat")))
        with self._database.transaction() as connection:
            return [KeptWorker(*row) for row in connection.execute(wanted.order_by(WORKERS.c.id))]

    def remove(self, worker_id: str) -> bool:
        """A worker has ended."""
        with self._database.writing() as connection:
            return connection.execute(delete(WORKERS).where(WORKERS.c.id == worker_id)).rowcount > 0
