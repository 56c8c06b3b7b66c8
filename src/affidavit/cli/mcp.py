"""`affidavit mcp`: serve tools, the contract and reviews to a coding agent."""

import os
import socket
from contextlib import suppress
from errno import EADDRINUSE
from pathlib import Path
from socket import AF_INET, AF_INET6
from typing import Any

import click

from affidavit.cli.help import LongCommand
from affidavit.cli.options import (
    data_option,
    mcp_servers_option,
    model_options,
    no_cache_option,
    repo_option,
    run_options,
)
from affidavit.cli.saying import note
from affidavit.errors import SettingsError
from affidavit.git.location import find_repository
from affidavit.reviewing.options import ReviewOptions


@click.command(cls=LongCommand)
@repo_option
@click.option(
    "--http",
    metavar="[HOST:]PORT",
    help="Serve streamable HTTP at /mcp instead of standard input and output; HOST is 127.0.0.1 by default."
    " Any other needs a token in AFFIDAVIT_MCP_TOKEN.",
)
@click.option(
    "--host-name",
    "host_names",
    multiple=True,
    metavar="NAME",
    help="Another name by which clients may call the server, such as behind a proxy; repeatable.",
)
@run_options
@model_options
@mcp_servers_option
@data_option
@no_cache_option
def command(**options: Any) -> None:
    """Serve a coding agent over the Model Context Protocol.

    The agent reads a change through our tools and submits its findings: they come back proven, or withheld
    with the reason. It can also have a change reviewed, a report proven again and a finding explained.
    """
    from affidavit.mcp.server import make_server  # noqa: PLC0415 - heavy, and of this command only

    repo = options["repo"] or Path.cwd()
    find_repository(repo)
    server = make_server(repo.resolve(), ReviewOptions.from_all(options))
    if options["http"]:
        _serve_http(server, options["http"], tuple(options["host_names"]))
        return
    import anyio  # noqa: PLC0415 - as above

    from affidavit.mcp.transport import serve_stdio  # noqa: PLC0415 - as above

    anyio.run(serve_stdio, server)


def read_address(text: str) -> tuple[str, int]:
    """Read `8765`, `127.0.0.1:8765` or `[::1]:8765`."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or not 0 <= int(port) <= 65535:
        raise SettingsError(f"--http: {text!r} is not an address; write 8765 or 127.0.0.1:8765")
    return host.strip("[]") or "127.0.0.1", int(port)


def _serve_http(server: Any, address: str, names: tuple[str, ...]) -> None:
    import uvicorn  # noqa: PLC0415 - of this command only

    from affidavit.mcp.transport import TOKEN_VARIABLE, http_app  # noqa: PLC0415 - as above

    host, port = read_address(address)
    token = os.environ.get(TOKEN_VARIABLE, "")
    app = http_app(server, host, port, token, names)
    shown = f"[{host}]" if ":" in host else host
    try:
        listener = socket.create_server((host, port), family=AF_INET6 if ":" in host else AF_INET)
    except OSError as error:
        why = "another program listens there" if error.errno == EADDRINUSE else error.strerror
        raise SettingsError(f"--http: cannot listen on {shown}:{port}: {why}; name another port") from error
    with listener, suppress(KeyboardInterrupt):
        note(f"listening on http://{shown}:{port}/mcp")
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
