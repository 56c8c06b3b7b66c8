"""By which names this server is called: a Host or an Origin in, whether it leads here on purpose out."""

import ipaddress
import re
import socket
from collections.abc import Iterable
from urllib.parse import urlsplit

_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::[0-9]{1,5})?")
LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})


class OwnHosts:
    """The names of one server. A name that somebody made to lead here is not one of them (DNS rebinding)."""

    def __init__(self, named: Iterable[str], *, is_loopback: bool, machine: str | None = None) -> None:
        self._named = frozenset(_plain(name) for name in named if name.strip())
        self._is_loopback = is_loopback
        self._machine = _plain(socket.gethostname() if machine is None else machine)

    def has(self, host: str) -> bool:
        """Whether the Host of a request is one of ours.

        Others may also use any address in figures and the machine's own name: only a name can be rebound.
        """
        name = _name_in(host)
        if not name:
            return False
        if name in LOOPBACK_NAMES or self._is_named(name):
            return True
        return not self._is_loopback and (name == self._machine or _is_address(name))

    def is_own_page(self, origin: str, host: str) -> bool:
        """Whether a page of this origin is ours: that of the Host, or of a name that the operator gave."""
        netloc = _plain(urlsplit(origin).netloc) if "://" in origin else ""
        # A name without a port means the usual one: a page at another port is another's.
        return bool(netloc) and (netloc == _plain(host) or self._is_named(netloc))

    def _is_named(self, name: str) -> bool:
        below = name.partition(".")[2]
        return name in self._named or f"*.{below}" in self._named


def _plain(name: str) -> str:
    return name.strip().lower().rstrip(".")


def _name_in(host: str) -> str:
    """The name in a Host header, without its port; empty where it is none."""
    found = _HOST.fullmatch(host)
    return _plain(found["address"] or found["name"]) if found else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
