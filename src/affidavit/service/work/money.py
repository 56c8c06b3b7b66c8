"""What a tenant may still spend today: its limit and what was paid go in, what is left comes out."""

from dataclasses import dataclass
from datetime import UTC, datetime

from affidavit.errors import BudgetError
from affidavit.service.settings import ServiceSettings
from affidavit.store.service.access import Access
from affidavit.store.service.progress import Progress


@dataclass(frozen=True)
class DaysMoney:
    """What a tenant may spend on a day, and what it has spent of that."""

    tenant: str
    most_usd: float
    """0: as much as it takes."""
    spent_usd: float = 0.0

    @property
    def is_spent(self) -> bool:
        """Whether nothing more may be paid."""
        return bool(self.most_usd) and self.spent_usd >= self.most_usd

    @property
    def left_usd(self) -> float | None:
        """What may still be paid; None: as much as it takes."""
        return max(self.most_usd - self.spent_usd, 0.0) if self.most_usd else None

    def __str__(self) -> str:
        return f"{self.tenant} has spent {self.spent_usd:.2f} of {self.most_usd:.2f} US dollars today"


@dataclass(frozen=True)
class Money:
    """The money of all tenants of one store."""

    settings: ServiceSettings
    access: Access
    progress: Progress

    def today(self, tenant: str) -> DaysMoney:
        """How it stands now; days are those of UTC."""
        own = self.access.limits_of(tenant)
        most = float(own.get("usd_per_day", self.settings.limits.usd_per_day))
        if not most:
            return DaysMoney(tenant, most)
        return DaysMoney(tenant, most, self.progress.spent_usd(tenant, datetime.now(UTC).date().isoformat()))

    def check(self, tenant: str) -> None:
        """Raise BudgetError, with what to do, where a review may pay for nothing more today."""
        day = self.today(tenant)
        if day.is_spent:
            raise BudgetError(f"{day}; retry it tomorrow (UTC), or ask the operator for more")
