"""A model server whose replies take a fixed time, in a process of its own so that it takes none from us."""

import importlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class SlowModel(BaseHTTPRequestHandler):
    """Streams what a subclass replies, after its latency."""

    protocol_version = "HTTP/1.1"
    latency_seconds = 0.0

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the delta that answers a request."""
        raise NotImplementedError

    def usage(self, _body: dict[str, Any], _delta: dict[str, Any]) -> dict[str, Any]:
        """Return the tokens of a request and its reply; nothing if the server counts none."""
        return {}

    def do_POST(self) -> None:
        """Answer a request for a completion."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(self.latency_seconds)
        delta = self.reply(body)
        about = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        finish = "tool_calls" if "tool_calls" in delta else "stop"
        parts: list[dict[str, Any]] = [
            {**about, "choices": [{"index": 0, "delta": part, "finish_reason": end}]}
            for part, end in [(delta, None), ({}, finish)]
        ]
        if usage := self.usage(body, delta):
            parts.append({**about, "choices": [], "usage": usage})
        data = "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
        self.send("text/event-stream", data.encode())

    def send(self, kind: str, data: bytes) -> None:
        """Send a whole answer."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


def tool_call(name: str, arguments: dict[str, Any], number: int = 1) -> dict[str, Any]:
    """Return the delta that calls a tool."""
    return tool_calls([(name, arguments)], number)


def tool_calls(calls: Sequence[tuple[str, dict[str, Any]]], first: int = 1) -> dict[str, Any]:
    """Return the delta that calls several tools."""
    return {
        "tool_calls": [
            {
                "index": index,
                "id": f"call_{first + index}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for index, (name, arguments) in enumerate(calls)
        ]
    }


def names_of_tools(body: dict[str, Any]) -> set[str]:
    """Return the tools that a request offers."""
    return {tool["function"]["name"] for tool in body.get("tools", ())}


@contextmanager
def serving(model: type[SlowModel], latency_seconds: float) -> Iterator[str]:
    """Serve a model in another process; yield its address."""
    command = [sys.executable, "-m", __name__, model.__module__, model.__name__, str(latency_seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield (server.stdout or sys.stdin).readline().strip()
        finally:
            server.kill()


def main(module: str, name: str, latency_seconds: str) -> None:
    """Serve until killed."""
    model = getattr(importlib.import_module(module), name)
    model.latency_seconds = float(latency_seconds)
    server = ThreadingHTTPServer(("127.0.0.1", 0), model)
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
