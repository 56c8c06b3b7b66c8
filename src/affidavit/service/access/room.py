"""How much a tenant may ask for: what waits and what is spent goes in, a refusal where it is full."""

import asyncio
from datetime import UTC, datetime

from affidavit.service.access.caller import Caller
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal


async def check_room(parts: Parts, caller: Caller) -> None:
    """Refuse a review that would be one too many, or that there is no money for."""
    await asyncio.to_thread(_check, parts, caller.tenant)


def _check(parts: Parts, tenant: str) -> None:
    own = parts.access.limits_of(tenant)
    most = int(own.get("queued_per_tenant", parts.settings.limits.queued_per_tenant))
    waiting = parts.reviews.counts().get((tenant, "queued"), 0)
    if waiting >= most:
        raise Refusal(
            429,
            f"{waiting:,} reviews of {tenant} wait already, and {most:,} may",
            "Try again when some of them are done.",
            headers={"Retry-After": "60"},
        )
    usd = float(own.get("usd_per_day", parts.settings.limits.usd_per_day))
    spent = parts.progress.spent_usd(tenant, datetime.now(UTC).date().isoformat()) if usd else 0.0
    if usd and spent >= usd:
        raise Refusal(
            402,
            f"{tenant} has spent {spent:.2f} of {usd:.2f} US dollars today",
            "Try again tomorrow (UTC), or ask the operator for more.",
        )
