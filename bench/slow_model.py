"""A model server whose replies take a fixed time, in a process of its own so that it takes none from us."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class SlowModel(BaseHTTPRequestHandler):
    """Streams what a subclass replies, after its latency."""

    protocol_version = "HTTP/1.1"
    latency_seconds = 0.0

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """The delta that answers a request."""
        raise NotImplementedError

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(self.latency_seconds)
        self._send(self.reply(body))

    def _send(self, delta: dict[str, Any]) -> None:
        about = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        finish = "tool_calls" if "tool_calls" in delta else "stop"
        parts = [
            {**about, "choices": [{"index": 0, "delta": part, "finish_reason": end}]}
            for part, end in [(delta, None), ({}, finish)]
        ]
        data = "".join(f"data: {json.dumps(part)}\n\n" for part in parts) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data.encode())

    def log_message(self, *_: Any) -> None:
        """Quiet."""


def tool_call(name: str, arguments: dict[str, Any], number: int = 1) -> dict[str, Any]:
    """The delta that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]}


@contextmanager
def serving(module: str, latency_seconds: float) -> Iterator[str]:
    """The address of the server that a module of the bench starts when it is told to serve."""
    command = [sys.executable, "-m", module, "serve", str(latency_seconds)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield (server.stdout or sys.stdin).readline().strip()
        finally:
            server.kill()


def serve(model: type[SlowModel], latency_seconds: float) -> None:
    """Serve until killed."""
    model.latency_seconds = latency_seconds
    server = ThreadingHTTPServer(("127.0.0.1", 0), model)
    sys.stdout.write(f"http://127.0.0.1:{server.server_port}/v1\n")
    sys.stdout.flush()
    server.serve_forever()
