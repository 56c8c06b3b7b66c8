"""Serve the tools of one conversation over MCP, on loopback, at an address that nobody can guess."""

import asyncio
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from mcp.server import Server
from mcp.server.transport_security import TransportSecuritySettings
from starlette.routing import Route

from affidavit.minds.coding_agents.programs import SERVER
from mcp import types

Call = Callable[[str, dict[str, Any]], Awaitable[str]]
HOST = "127.0.0.1"


class _Background(uvicorn.Server):
    """A server inside a review, which leaves the signals to it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def serving(
    tools: Sequence[dict[str, Any]], call: Call, routes: Sequence[Route] = ()
) -> AsyncIterator[str]:
    """Yield the address below which `/mcp` has the tools; `routes` are served there, too."""
    with socket.create_server((HOST, 0)) as listener:
        host = f"{HOST}:{listener.getsockname()[1]}"
        secret = f"/{secrets.token_urlsafe(32)}"
        app = _server(tools, call).streamable_http_app(
            streamable_http_path=f"{secret}/mcp",
            stateless_http=True,
            transport_security=TransportSecuritySettings(allowed_hosts=[host]),
            custom_starlette_routes=[
                Route(secret + one.path, one.endpoint, methods=one.methods) for one in routes
            ],
        )
        server = _Background(uvicorn.Config(app, log_level="critical", ws="none", access_log=False))
        running = asyncio.create_task(server.serve(sockets=[listener]))
        try:
            yield f"http://{host}{secret}"
        finally:
            server.should_exit = server.force_exit = True
            await running


def _server(tools: Sequence[dict[str, Any]], call: Call) -> Server[Any]:
    listed = [
        types.Tool(
            name=one["function"]["name"],
            description=one["function"].get("description", ""),
            input_schema=one["function"]["parameters"],
            annotations=types.ToolAnnotations(
                read_only_hint=True, destructive_hint=False, open_world_hint=False
            ),
        )
        for one in tools
    ]

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=listed)

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        text = await call(params.name, params.arguments or {})
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)])

    return Server(SERVER, on_list_tools=list_tools, on_call_tool=call_tool)
