"""Keep who works: a worker counts its beats up, and who stops counting is noticed by the others."""

from dataclasses import asdict, dataclass

from sqlalchemy import delete, insert, select, update

from affidavit.store.databases.database import Database
from affidavit.store.databases.schema import WORKERS


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
