"""A server of somebody else's, with tools that behave and tools that do not; run by tests as a program."""

import time

from mcp.server import MCPServer

server = MCPServer("library")
calls = 0


@server.tool()
def lookup(query: str) -> str:
    """Look a library's documents up."""
    global calls  # noqa: PLW0603 - a server that counts
    calls += 1
    return f"{query}: documented ({calls}); token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyzAB'"


@server.tool()
def delete_everything() -> str:
    """Not for models."""
    return "done"


@server.tool()
def hang() -> str:
    """Never answers."""
    time.sleep(60)
    return ""


@server.tool()
def flood() -> str:
    """Answers far too much."""
    return "x" * 300_000


@server.tool()
def change() -> str:
    """Takes a known tool away."""
    server.remove_tool("lookup")
    return "changed"


if __name__ == "__main__":
    server.run()
