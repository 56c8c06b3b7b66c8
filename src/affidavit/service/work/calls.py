"""Call models for child processes: keep the keys, check budgets, and limit concurrent calls."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Any

from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse

from affidavit.errors import BudgetError
from affidavit.minds.choice import CallLimits, ModelChoice
from affidavit.minds.wire.connection import CallEnded, Connection
from affidavit.minds.wire.forms import Question
from affidavit.minds.wire.providers import build_client
from affidavit.ports import Role
from affidavit.service import metrics
from affidavit.service.child.lines import REPLIES
from affidavit.service.kept.access import Access
from affidavit.service.kept.progress import ReviewProgress
from affidavit.service.metrics import span
from affidavit.service.settings import ServiceSettings


@dataclass(frozen=True)
class DaysMoney:
    """The daily budget of a tenant, and what it has spent."""

    tenant: str
    most_usd: float
    """0: no limit."""
    spent_usd: float = 0.0

    @property
    def is_spent(self) -> bool:
        """Whether the budget is spent."""
        return bool(self.most_usd) and self.spent_usd >= self.most_usd

    @property
    def left_usd(self) -> float | None:
        """The rest of the budget; None: no limit."""
        return max(self.most_usd - self.spent_usd, 0.0) if self.most_usd else None

    def __str__(self) -> str:
        return f"{self.tenant} has spent {self.spent_usd:.2f} of {self.most_usd:.2f} US dollars today"


@dataclass(frozen=True)
class Money:
    """The budgets of all tenants of one store."""

    settings: ServiceSettings
    access: Access
    progress: ReviewProgress

    def today(self, tenant: str) -> DaysMoney:
        """Return the budget of today (UTC)."""
        own = self.access.limits_of(tenant)
        most = float(own.get("usd_per_day", self.settings.limits.usd_per_day))
        if not most:
            return DaysMoney(tenant, most)
        return DaysMoney(tenant, most, self.progress.spent_usd(tenant, datetime.now(UTC).date().isoformat()))

    def check(self, tenant: str) -> None:
        """Raise BudgetError if the budget of today is spent."""
        day = self.today(tenant)
        if day.is_spent:
            raise BudgetError(f"{day}; retry it tomorrow (UTC), or ask the operator for more")


Pay = Callable[[Any], Awaitable[bool]]
"""Takes the partial reply of a failed attempt; returns False if the budget allows no other."""


class Calls:
    """The connections to the models of one worker, shared by all its reviews."""

    def __init__(
        self,
        models: Mapping[Role, ModelChoice],
        environment: Mapping[str, str],
        limits: CallLimits,
    ) -> None:
        self._stack = AsyncExitStack()
        gates: dict[tuple[str, str | None], asyncio.Semaphore] = {}
        self._connections: dict[Role, Connection] = {}
        for role, choice in models.items():
            gate = gates.setdefault((choice.model, choice.base_url), asyncio.Semaphore(limits.at_once))
            dial = partial(build_client, choice, environment)
            self._connections[role] = Connection(dial, choice, limits, gate)

    async def __aenter__(self) -> "Calls":
        for connection in self._connections.values():
            await self._stack.enter_async_context(connection.opened())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stack.aclose()

    async def ask(
        self, role: Role, messages: list[Any], question: dict[str, Any], pay: Pay
    ) -> dict[str, Any]:
        """Return the reply of a role's model as data, or why there is none."""
        connection = self._connections.get(role)
        if connection is None:
            return ended(CallEnded("failed", f"the service has no model for the {role}", was_read=False))
        asked = Question(**{**question, "tools": tuple(question["tools"])})

        async def on_partial(part: ModelResponse | None) -> None:
            if not await pay(_data_of(part)):
                raise _NotPaid

        model, began = connection.choice.model, time.monotonic()
        outcome = "answered"
        try:
            sent = ModelMessagesTypeAdapter.validate_python(messages)
            with span("model call", model=model, role=role):
                return {"reply": _data_of(await connection.ask(sent, asked, on_partial))}
        except CallEnded as end:
            outcome = end.outcome
            return ended(end)
        except _NotPaid:
            outcome = "budget_exhausted"
            return {}
        finally:
            metrics.CALLS.labels(model, outcome).inc()
            metrics.CALL_SECONDS.labels(model).observe(time.monotonic() - began)


class _NotPaid(Exception):  # noqa: N818 - the child knows why
    pass


def _data_of(reply: ModelResponse | None) -> Any:
    return REPLIES.dump_python(reply, mode="json") if reply is not None else None


def ended(end: CallEnded) -> dict[str, Any]:
    """Describe a call without a reply, as data for a child."""
    return {
        "reply": _data_of(end.reply),
        "ended": {"outcome": end.outcome, "detail": end.detail, "was_read": end.was_read},
    }
