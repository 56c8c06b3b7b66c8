"""Make the minds of a review from the choice of a model for each role."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from affidavit.errors import SettingsError
from affidavit.minds.choice import CallLimits, ModelChoice
from affidavit.minds.conversation_log import ConversationLog
from affidavit.minds.ledger import Ledger
from affidavit.minds.prices import has_price
from affidavit.minds.wire.providers import Client, build_client
from affidavit.ports import Mind, Role

if TYPE_CHECKING:
    from affidavit.minds.coding_agents.line import Permit
    from affidavit.minds.wire.requester import Line


@runtime_checkable
class Connected(Protocol):
    """A mind with connections that can be kept open."""

    def kept_open(self) -> AbstractAsyncContextManager[None]: ...


def minds_from(
    choices: Mapping[Role, ModelChoice],
    *,
    ledger: Ledger,
    log: ConversationLog | None = None,
    limits: CallLimits | None = None,
    environment: Mapping[str, str] | None = None,
    lines: "Callable[[Role], Line] | None" = None,
    reviewed: Path | None = None,
) -> dict[Role, Mind]:
    """Return the minds of a review; raise SettingsError if a key, a package or a price is missing.

    A process without keys passes `lines`, which lead to a proxy that asks the role's model.
    """
    from affidavit.minds.mind import PydanticMind, UnreadableCount  # noqa: PLC0415 - its library takes half a second to load

    limits = limits or CallLimits()
    log = log or ConversationLog()
    keys = os.environ if environment is None else environment
    gates: dict[tuple[str, str | None], asyncio.Semaphore] = {}
    unreadable: dict[tuple[str, str | None], UnreadableCount] = {}
    permits: dict[str, Permit] = {}
    minds: dict[Role, Mind] = {}
    for role, choice in choices.items():
        if not log.is_replay:
            _check_price(choice, ledger)
        gate = gates.setdefault((choice.provider, choice.base_url), asyncio.Semaphore(limits.at_once))
        # Made now: a missing key or package is reported before anything is spent. A replay needs neither.
        is_asked = not log.is_replay and lines is None
        client = _clients(choice, keys) if is_asked and choice.provider != "agent" else None
        line: Callable[[], Line] | None = partial(lines, role) if lines else None
        if is_asked and choice.provider == "agent":
            from affidavit.minds.coding_agents.line import agent_lines  # noqa: PLC0415 - few need a server

            line = agent_lines(choice, limits, keys, permits, reviewed)
        minds[role] = PydanticMind(
            role,
            choice,
            ledger,
            log,
            limits,
            gate=gate,
            client=client,
            line=line,
            unreadable=unreadable.setdefault((choice.model, choice.base_url), UnreadableCount()),
        )
    return minds


@asynccontextmanager
async def kept_open(minds: Iterable[Mind]) -> AsyncIterator[None]:
    """Keep the connections of minds open for the length of a review; minds without one are skipped."""
    async with AsyncExitStack() as stack:
        for mind in minds:
            if isinstance(mind, Connected):
                await stack.enter_async_context(mind.kept_open())
        yield


def _clients(choice: ModelChoice, environment: Mapping[str, str]) -> Callable[[], Client]:
    """Return a function that gives the client of a model, and a new one after that was closed."""
    made = [build_client(choice, environment)]
    return lambda: made.pop() if made else build_client(choice, environment)


def _check_price(choice: ModelChoice, ledger: Ledger) -> None:
    if ledger.budget.usd is not None and not has_price(choice):
        raise SettingsError(
            f"model {choice.model}: its price is not known, so a budget in US dollars cannot be kept: "
            "set one in tokens with --budget-tokens, or give its price with --prices-usd-per-million"
        )
