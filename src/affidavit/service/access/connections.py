"""Connections: each has a time for the headers of its next request, and all of them together a bound."""

import asyncio
import resource
from typing import cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from affidavit.service.telemetry.seldom import SeldomLog

LOG = SeldomLog("affidavit.connections")
HEADER_SECONDS = 10.0
AT_A_TIME = 64
"""So many are accepted before the first of them is looked at."""
MOST = min(1_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)
"""The other half of the files is for the database, cells, and connections that are being closed."""


class Connection(HttpToolsProtocol):
    """A connection that is closed if it owes a request for too long, or somebody else needs its place."""

    waited_for_since = 0.0
    """When the last request was answered, or the connection was made."""

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def owes_request(self) -> bool:
        """Whether the next request has not arrived to its end."""
        return self.is_idle or self.cycle.more_body

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """Take the connection; beyond the bound, give up the one whose request is waited for longest."""
        super().connection_made(transport)
        self.waited_for_since = self.loop.time()
        if len(self.connections) > MOST:
            LOG.warning("too many connections: those that owe a request for longest are closed", most=MOST)
            owing = (one for one in _all(self.server_state) if one.owes_request)
            oldest = min(owing, key=lambda one: one.waited_for_since)
            self.connections.discard(oldest)
            oldest.transport.abort()

    def on_response_complete(self) -> None:
        """Wait for the next request, and for what is left of this one."""
        super().on_response_complete()
        self.waited_for_since = self.loop.time()


def _all(state: ServerState) -> list[Connection]:
    return list(cast("set[Connection]", state.connections))


def close_overdue(state: ServerState) -> None:
    """Close the connections whose headers did not arrive in time."""
    now = asyncio.get_running_loop().time()
    for one in _all(state):
        if one.is_idle and now - one.waited_for_since > HEADER_SECONDS:
            one.transport.close()
