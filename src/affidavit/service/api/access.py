"""Decide who asks and how much a caller may ask for."""

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args
from weakref import WeakValueDictionary

from affidavit.events import now_iso
from affidavit.records.iteration import DEFAULT_TENANT
from affidavit.service.kept.access import Access, KeptToken
from affidavit.service.kept.reviews import FullQueue
from affidavit.service.parts import Parts
from affidavit.service.problems import Refusal

MOST_CALLERS = 10_000
"""Whoever has not asked for longest is forgotten first."""


class Pace:
    """A bucket for each caller: it fills evenly, and a request takes from it."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute, self._clock = per_minute, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, caller: str) -> None:
        """Count a request; raises Refusal."""
        now, full = self._clock(), float(self._per_minute)
        left, since = self._buckets.pop(caller, (full, now))
        left = min(full, left + (now - since) * full / 60)
        if left < 1:
            self._buckets[caller] = (left, now)
            seconds = max(1, round((1 - left) * 60 / full))
            raise Refusal(
                429,
                f"more than {self._per_minute:,} requests a minute",
                f"Try again in {seconds} seconds.",
                headers={"Retry-After": str(seconds)},
            )
        self._buckets[caller] = (left - 1, now)
        if len(self._buckets) > MOST_CALLERS:
            self._buckets.popitem(last=False)


class FairTurns:
    """Places for what takes much: a caller with a crowd is in the line only as often as any other may be."""

    def __init__(self, at_once: int, each: int) -> None:
        self._places, self._each = asyncio.Semaphore(at_once), each
        self._own: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, caller: str) -> AsyncIterator[None]:
        """Wait for a place, and leave it at the end."""
        own = self._own.setdefault(caller, asyncio.Semaphore(self._each))
        async with own, self._places:
            yield


Role = Literal["read", "submit", "post", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
TOKEN_PREFIX = "aff_"  # noqa: S105 - what every token begins with, so that scanners for secrets know one


@dataclass(frozen=True)
class Caller:
    """Somebody who asks."""

    tenant: str
    name: str
    roles: frozenset[str]

    def may(self, role: Role) -> bool:
        """Whether the caller has a role; an administrator has all, and who may do something may read."""
        return role in self.roles or "admin" in self.roles or (role == "read" and bool(self.roles))

    def must(self, role: Role) -> None:
        """Refuse who has not got the role."""
        if not self.may(role):
            raise Refusal(
                403,
                f"this needs the role {role}",
                f"Use a token that has it; yours has {_listed(self.roles)}.",
            )


LOCAL = Caller(DEFAULT_TENANT, "local", frozenset(ROLES))
"""Whoever can reach a server on loopback is its user."""


def new_token() -> str:
    """A token; it is shown once."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """What is kept of a token: it is random and long, so that a plain digest cannot be guessed from."""
    return hashlib.sha256(token.encode()).hexdigest()


def token_in(header: str | None) -> str:
    """Return the token of an Authorization header, however it is spelled; empty where there is none."""
    scheme, _, token = (header or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def caller_with(access: Access, token: str) -> Caller:
    """Return who has this token; refuse the unknown, the revoked and the expired in the same words."""
    if not token:
        raise _unknown("this server wants a token")
    digest = digest_of(token)
    found = access.token_with(digest)
    if found is None or not hmac.compare_digest(found[1], digest) or not _is_valid(found[0]):
        raise _unknown("the token is not known, or not valid any more")
    return Caller(found[0].tenant, found[0].name, frozenset(found[0].roles))


def _is_valid(token: KeptToken) -> bool:
    return token.revoked_at is None and (token.expires_at is None or token.expires_at > now_iso())


def _unknown(detail: str) -> Refusal:
    return Refusal(
        401,
        detail,
        "Send the header `Authorization: Bearer TOKEN`; `affidavit token create` makes one.",
        headers={"WWW-Authenticate": "Bearer"},
    )


def _listed(roles: frozenset[str]) -> str:
    return ", ".join(sorted(roles)) or "none"


AGAIN_SECONDS = 5.0
"""So long the last answer counts, for all who came with the same token."""


class Admission:
    """Asks once for all streams of one token."""

    def __init__(self, access: Access, clock: Callable[[], float] = time.monotonic) -> None:
        self._access, self._clock = access, clock
        self._answers: dict[str, tuple[float, bool]] = {}

    async def holds(self, token: str) -> bool:
        """Whether a token is still valid; who needed none, stays."""
        if not token:
            return True
        now = self._clock()
        asked_at, answer = self._answers.get(token, (now - AGAIN_SECONDS, True))
        if answer and now - asked_at >= AGAIN_SECONDS:
            # Before the answer is there, so that the others do not ask, too.
            self._answers[token] = (now, True)
            answer = await asyncio.to_thread(self._is_known, token)
            self._forget_before(now - AGAIN_SECONDS)
            self._answers[token] = (now, answer)
        return answer

    def _is_known(self, token: str) -> bool:
        try:
            caller_with(self._access, token)
        except Refusal:
            return False
        return True

    def _forget_before(self, at: float) -> None:
        self._answers = {name: one for name, one in self._answers.items() if one[0] > at}


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
