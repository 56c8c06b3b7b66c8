"""Check tokens and roles, and limit requests of callers."""

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

MAX_CALLERS = 10_000
"""How many callers are remembered."""


class Pace:
    """Limits each caller's requests per minute; they may come in a burst, and then evenly."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_minute, self._clock = per_minute, clock
        self._until: OrderedDict[str, float] = OrderedDict()
        """When each caller's requests so far would end if they were spread evenly."""

    def take(self, caller: str) -> None:
        """Count a request; raise Refusal above the limit."""
        now = self._clock()
        before = max(now, self._until.pop(caller, now))
        until = before + 60 / self._per_minute
        is_early = until > now + 60
        self._until[caller] = before if is_early else until
        if len(self._until) > MAX_CALLERS:
            self._until.popitem(last=False)
        if is_early:
            seconds = max(1, round(until - now - 60))
            raise Refusal(
                429,
                f"more than {self._per_minute:,} requests a minute",
                f"Try again in {seconds} seconds.",
                headers={"Retry-After": str(seconds)},
            )


class FairTurns:
    """Limits concurrent work, in total and per caller, so that no caller keeps the others waiting."""

    def __init__(self, at_once: int, each: int) -> None:
        self._places, self._each = asyncio.Semaphore(at_once), each
        self._own: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def of(self, caller: str) -> AsyncIterator[None]:
        """Hold a slot; wait until one is free."""
        own = self._own.setdefault(caller, asyncio.Semaphore(self._each))
        async with own, self._places:
            yield


Role = Literal["read", "submit", "post", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
TOKEN_PREFIX = "aff_"  # noqa: S105 - what every token begins with, so that scanners for secrets know one


@dataclass(frozen=True)
class Caller:
    """A caller of the API."""

    tenant: str
    name: str
    roles: frozenset[str]

    def may(self, role: Role) -> bool:
        """Check a role; an administrator has all roles, and every role may read."""
        return role in self.roles or "admin" in self.roles or (role == "read" and bool(self.roles))

    def must(self, role: Role) -> None:
        """Raise Refusal for a caller without the role."""
        if not self.may(role):
            raise Refusal(
                403,
                f"this needs the role {role}",
                f"Use a token that has it; yours has {_listed(self.roles)}.",
            )


LOCAL = Caller(DEFAULT_TENANT, "local", frozenset(ROLES))
"""A caller on loopback is the user of the server."""


def new_token() -> str:
    """Return a new token; it is shown once."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def digest_of(token: str) -> str:
    """Return the digest that is stored; a token is too random to be guessed from it."""
    return hashlib.sha256(token.encode()).hexdigest()


def token_in(header: str | None) -> str:
    """Return the token of an Authorization header, however it is spelled; empty if there is none."""
    scheme, _, token = (header or "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def caller_with(access: Access, token: str) -> Caller:
    """Return the caller with this token; refuse unknown, revoked and expired tokens alike."""
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
"""How long a check of a token is reused by all its streams."""


class Admission:
    """Checks the tokens of streams again and again."""

    def __init__(self, access: Access, clock: Callable[[], float] = time.monotonic) -> None:
        self._access, self._clock = access, clock
        self._valid: dict[str, float] = {}
        """When each token was last valid."""

    async def holds(self, token: str) -> bool:
        """Check whether a token is still valid; callers that needed none have an empty one."""
        now = self._clock()
        if not token or now - self._valid.get(token, now - AGAIN_SECONDS) < AGAIN_SECONDS:
            return True
        # Set before the answer, so that other streams of this token do not check as well.
        self._valid[token] = now
        try:
            await asyncio.to_thread(caller_with, self._access, token)
        except Refusal:
            self._valid.pop(token, None)
            return False
        return True


Taken = TypeVar("Taken")


async def with_room(parts: Parts, caller: Caller, take: Callable[[int], Taken]) -> Taken:
    """Queue a review with `take`, which gets the number of reviews that may wait."""
    most = parts.settings.limits.queued_per_tenant
    try:
        return await asyncio.to_thread(take, most)
    except FullQueue as full:
        raise Refusal(
            429,
            f"{full.waiting:,} reviews of {caller.tenant} wait already, and {most:,} may",
            "Try again when some of them are done.",
            headers={"Retry-After": "60"},
        ) from full
