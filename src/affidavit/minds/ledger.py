"""Count tokens and money per role, and send nothing that the budget does not cover."""

import asyncio
import threading
from dataclasses import dataclass
from typing import Self

from affidavit.errors import BudgetError
from affidavit.ports import Role
from affidavit.records.report import RoleUsage


@dataclass(frozen=True)
class SpendingLimit:
    """The limit on the spending of a review; None is no limit."""

    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True)
class Estimate:
    """The most that one request may cost."""

    tokens: int
    usd: float | None
    """None: the price is not known."""


class Ledger:
    """Adds up what a review spends; safe for many tasks and threads."""

    def __init__(self, budget: SpendingLimit | None = None) -> None:
        self.budget = budget or SpendingLimit()
        self._lock = threading.Lock()
        self._open: list[Estimate] = []
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()
        self._usage: dict[tuple[Role, str], RoleUsage] = {}
        self._paid_tokens = 0
        self._paid_usd = 0.0

    async def reserve(self, estimate: Estimate) -> Estimate:
        """Reserve what a request may cost; wait for others to finish; raise BudgetError if that fails."""
        while True:
            freed = asyncio.Event()
            waiter = (asyncio.get_running_loop(), freed)
            with self._lock:
                if self._fits(estimate):
                    self._open.append(estimate)
                    return estimate
                if not self._open:
                    raise BudgetError(self._shortage(estimate))
                # Reservations are upper limits: part of them will be free again.
                self._waiting.add(waiter)
            try:
                await freed.wait()
            finally:
                with self._lock:
                    self._waiting.discard(waiter)

    def settle(self, estimate: Estimate, role: Role, spent: RoleUsage) -> None:
        """Replace a reservation by what the request cost."""
        with self._lock:
            self._open.remove(estimate)
            self._paid_tokens += spent.input_tokens + spent.output_tokens
            self._paid_usd += spent.cost_usd or 0.0
            self._count(role, spent)
            waiting, self._waiting = self._waiting, set()
        for loop, freed in waiting:
            if not loop.is_closed():
                loop.call_soon_threadsafe(freed.set)

    def note(self, role: Role, spent: RoleUsage) -> None:
        """Count a request that was paid for in an earlier run."""
        with self._lock:
            self._count(role, spent)

    def usage(self) -> tuple[RoleUsage, ...]:
        """Return what each role has spent with each model."""
        with self._lock:
            return tuple(self._usage.values())

    def totals(self) -> RoleUsage:
        """Return the sum over all roles."""
        total = RoleUsage(role="all", model="", cost_usd=0.0)
        for spent in self.usage():
            total = add_usage(total, spent)
        return total

    def _count(self, role: Role, spent: RoleUsage) -> None:
        key = (role, spent.model)
        before = self._usage.get(key)
        self._usage[key] = add_usage(before, spent) if before else spent

    def _fits(self, estimate: Estimate) -> bool:
        tokens = self._paid_tokens + sum(each.tokens for each in self._open) + estimate.tokens
        usd = self._paid_usd + sum(each.usd or 0.0 for each in self._open) + (estimate.usd or 0.0)
        if self.budget.tokens is not None and tokens > self.budget.tokens:
            return False
        # Money that cannot be counted cannot be capped either, so it is not spent.
        return self.budget.usd is None or (estimate.usd is not None and usd <= self.budget.usd)

    def _shortage(self, estimate: Estimate) -> str:
        if self.budget.usd is not None and estimate.usd is None:
            return "the budget is in US dollars, but the price of the model is not known"
        parts = []
        if self.budget.tokens is not None:
            parts.append(
                f"{self._paid_tokens:,} of {self.budget.tokens:,} tokens are spent and the next request may "
                f"take {estimate.tokens:,}"
            )
        if self.budget.usd is not None:
            parts.append(
                f"{self._paid_usd:.4f} of {self.budget.usd:.4f} US dollars are spent and the next request "
                f"may cost {estimate.usd or 0.0:.4f}"
            )
        return "; ".join(parts)


def add_usage(one: RoleUsage, other: RoleUsage) -> RoleUsage:
    """Add up two usages; the sum with an unknown cost is unknown."""
    is_known = one.cost_usd is not None and other.cost_usd is not None
    return one.model_copy(
        update={
            "requests": one.requests + other.requests,
            "input_tokens": one.input_tokens + other.input_tokens,
            "output_tokens": one.output_tokens + other.output_tokens,
            "cached_tokens": one.cached_tokens + other.cached_tokens,
            "estimated_requests": one.estimated_requests + other.estimated_requests,
            "reported_tokens": one.reported_tokens + other.reported_tokens,
            "cached_usd": one.cached_usd + other.cached_usd,
            "cost_usd": (one.cost_usd or 0.0) + (other.cost_usd or 0.0) if is_known else None,
        }
    )


class Purse:
    """The cost of one exchange over all its attempts; entering it reserves money."""

    def __init__(
        self, ledger: Ledger, role: Role, estimate: Estimate, nothing: RoleUsage, unanswered: RoleUsage
    ) -> None:
        self._ledger, self._role, self._estimate = ledger, role, estimate
        self._reserved: Estimate | None = None
        self.paid = nothing
        self.due = unanswered
        """The cost of the current attempt; if nobody waits for the reply, that of the request alone."""

    async def __aenter__(self) -> Self:
        self._reserved = await self._ledger.reserve(self._estimate)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._pay(self.due)

    async def pay_and_reserve(self, spent: RoleUsage) -> None:
        """Pay for a failed attempt, and reserve the same again; raise BudgetError if it is spent."""
        self._pay(spent)
        self._reserved = await self._ledger.reserve(self._estimate)

    def _pay(self, spent: RoleUsage) -> None:
        if self._reserved is not None:
            self._ledger.settle(self._reserved, self._role, spent)
            self.paid = add_usage(self.paid, spent)
            self._reserved = None
