"""Call models for child processes: keep the keys and limit concurrent calls."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Any

from pydantic_ai.messages import ModelMessagesTypeAdapter, ModelResponse

from affidavit.minds.choice import CallLimits, ModelChoice
from affidavit.minds.wire.connection import CallEnded, Connection
from affidavit.minds.wire.forms import Question
from affidavit.minds.wire.providers import build_client
from affidavit.ports import Role
from affidavit.service import metrics
from affidavit.service.child.lines import REPLIES

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
            metrics.record_tools(sent, [tool["function"]["name"] for tool in asked.tools], role)
            with metrics.call_span(connection.choice, role) as traced:
                reply = await connection.ask(sent, asked, on_partial)
                traced.set_attribute("gen_ai.usage.input_tokens", reply.usage.input_tokens)
                traced.set_attribute("gen_ai.usage.output_tokens", reply.usage.output_tokens)
            # When it was complete: since then its tools run.
            return {"reply": _data_of(replace(reply, timestamp=datetime.now(UTC)))}
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
