"""How much a tenant may ask for: what waits and what is spent goes in, a refusal where it is full."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from affidavit.service.access.caller import Caller
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal
from affidavit.store.service.reviews import FullQueue

Taken = TypeVar("Taken")


async def with_room(parts: Parts, caller: Caller, take: Callable[[int], Taken]) -> Taken:
    """Do what may put one more review into the queue; `take` is told how many may wait, and counts them."""
    most = await asyncio.to_thread(_most_waiting, parts, caller.tenant)
    try:
        return await asyncio.to_thread(take, most)
    except FullQueue as full:
        raise Refusal(
            429,
            f"{full.waiting:,} reviews of {caller.tenant} wait already, and {most:,} may",
            "Try again when some of them are done.",
            headers={"Retry-After": "60"},
        ) from full


async def check_money(parts: Parts, caller: Caller) -> None:
    """Refuse what a model would be asked for, where the day's money is spent."""
    day = await asyncio.to_thread(parts.money.today, caller.tenant)
    if day.is_spent:
        raise Refusal(402, str(day), "Try again tomorrow (UTC), or ask the operator for more.")


def _most_waiting(parts: Parts, tenant: str) -> int:
    own = parts.access.limits_of(tenant)
    return int(own.get("queued_per_tenant", parts.settings.limits.queued_per_tenant))
