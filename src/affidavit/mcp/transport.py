"""Serve agents over standard input and output, or over HTTP."""

import hmac
import ipaddress
import json
from typing import TYPE_CHECKING, Any

from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.server.transport_security import TransportSecuritySettings

from affidavit.errors import SettingsError
from affidavit.mcp.tools import Desk

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN_VARIABLE = "AFFIDAVIT_MCP_TOKEN"  # noqa: S105 - a name, no token
MIN_TOKEN = 16


async def serve_stdio(server: Server[Desk]) -> None:
    """Serve until the client closes its end."""
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def is_loopback(host: str) -> bool:
    """Check whether only this machine can reach the address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def http_app(server: Server[Desk], host: str, port: int, token: str, names: tuple[str, ...] = ()) -> Any:
    """Return the HTTP application. It checks Host and Origin; beyond loopback, callers need a token."""
    if not is_loopback(host) and len(token) < MIN_TOKEN:
        raise SettingsError(
            f"{host} can be reached from elsewhere: set {TOKEN_VARIABLE} to a secret of at least"
            f" {MIN_TOKEN} characters, or listen on 127.0.0.1"
        )
    own = [f"{name}:{port}" for name in (*names, "127.0.0.1", "localhost", "[::1]")]
    hosts = [*own, *names]
    security = TransportSecuritySettings(
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{name}" for name in hosts for scheme in ("http", "https")],
    )
    app = server.streamable_http_app(host=host, transport_security=security)
    return Guarded(app, token) if token else app


class Guarded:
    """Refuses requests without the token."""

    def __init__(self, app: "ASGIApp", token: str) -> None:
        self._app = app
        self._expected = f"Bearer {token}".encode()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Pass on a request that has the token."""
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, self._expected):
                await _refuse(send)
                return
        await self._app(scope, receive, send)


async def _refuse(send: "Send") -> None:
    body = json.dumps({"error": "send the token as Authorization: Bearer"}).encode()
    headers = [(b"content-type", b"application/json"), (b"www-authenticate", b"Bearer")]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})
