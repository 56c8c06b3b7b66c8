"""A language server in a few lines, for those who need a strange one."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from affidavit.analysers.engine.execution import Limits, limited_command
from affidavit.tools.language_server import ServerProgram

# A server that answers `initialize` and then does as it is told.
FAKE = """
import json, sys, time
def receive():
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        length = int(line.split(b":")[1])
    return json.loads(sys.stdin.buffer.read(length))
def send(message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body)
    sys.stdout.buffer.flush()
first = receive()
root = first["params"]["rootUri"]
send({"id": first["id"], "result": {"capabilities": {}}})
def at(path, line):
    return {"uri": f"{root}/{path}", "range": {"start": {"line": line - 1, "character": 0}}}
def asked(method):
    while (message := receive()).get("method") != method:
        pass
    return message
"""


def without_walls(command: Sequence[str], _checkout: Path, _scratch: Path, limits: Limits) -> list[str]:
    """Start a fake outside the sandbox, which would hide its script."""
    return limited_command(command, limits)


def fake_servers(folder: Path, behaviour: str) -> Mapping[ServerProgram, Path]:
    """A server for Python files that behaves so."""
    script = folder / "server.py"
    script.write_text(FAKE + behaviour)
    server = ServerProgram("fake", (str(script),), frozenset(("python",)), (".py",))
    return {server: Path(sys.executable)}
