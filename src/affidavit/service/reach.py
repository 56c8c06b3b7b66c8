"""Refuse host names outside the public internet: a request may name any forge."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from urllib.request import getproxies, proxy_bypass

from affidavit.errors import ForgeError

Resolve = Callable[[str], Awaitable[list[str]]]
Address = ipaddress.IPv4Address | ipaddress.IPv6Address
RESOLVE_SECONDS = 5.0
NAT64 = ipaddress.ip_network("64:ff9b::/96")


async def resolve_name(name: str) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(name, 443, type=socket.SOCK_STREAM)
    return [str(one[4][0]) for one in found]


def is_proxied(name: str) -> bool:
    """Check whether the operator's proxy makes the connection, and looks names up itself."""
    return "https" in getproxies() and not proxy_bypass(name)


@dataclass(frozen=True)
class Reach:
    """The places that may be contacted."""

    exempt: frozenset[str] = frozenset()
    """Names that the operator allowed."""
    resolve: Resolve = field(default=resolve_name, repr=False)
    is_proxied: Callable[[str], bool] = field(default=is_proxied, repr=False)

    async def check(self, name: str) -> None:
        """Refuse a name of this machine, its network, or a cloud's metadata service."""
        plain = name.strip("[]").rstrip(".").lower()
        if plain in self.exempt or self.is_proxied(plain):
            return
        try:
            async with asyncio.timeout(RESOLVE_SECONDS):
                addresses = await self.resolve(plain)
        except OSError as error:
            why = getattr(error, "strerror", None) or str(error) or "no answer"
            raise ForgeError(f"{plain} cannot be found: {why}", retryable=True) from error
        for text in addresses:
            if not is_public(text):
                raise ForgeError(
                    f"{plain} leads to {text}, which is not on the public internet, so it is not contacted;"
                    " an operator whose forge is there names it in AFFIDAVIT_GITHUB_HOSTS or"
                    " AFFIDAVIT_GITLAB_HOSTS"
                )


def is_public(text: str) -> bool:
    """Check whether an address is one of the public internet, also where another one contains it."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return all(one.is_global and not one.is_multicast for one in _embedded(address))


def _embedded(address: Address) -> list[Address]:
    """Return the address, or the IPv4 addresses that it contains: IPv6 has several ways to write one."""
    if isinstance(address, ipaddress.IPv4Address):
        return [address]
    inner: list[Address] = [one for one in (address.ipv4_mapped, address.sixtofour) if one]
    if address.teredo:
        inner += address.teredo
    if address in NAT64:
        inner.append(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
    return inner or [address]
