"""A model server on loopback that speaks Chat Completions and misbehaves on demand."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Act = Callable[["Exchange"], None]
USAGE = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}


class Exchange(BaseHTTPRequestHandler):
    """One request, and the means to answer it well or badly."""

    protocol_version = "HTTP/1.1"
    server: "ModelServer"
    body: dict[str, Any]
    usage: object = USAGE
    """What a stream says that it used."""

    def do_POST(self) -> None:
        self.body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            headers = {name.lower(): value for name, value in self.headers.items()}
            self.server.next_act(self.body, {":path": self.path, **headers})(self)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def do_HEAD(self) -> None:
        self.server.script.heads.append(dict(self.headers))
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass

    def send_status(self, status: int, body: dict[str, Any], **headers: str) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def start_stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def send_delta(self, delta: dict[str, Any], finish: str | None = None) -> None:
        chunk = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": self.body["model"],
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        }
        self.send_line("data: " + json.dumps(chunk))

    def send_line(self, line: str) -> None:
        self.wfile.write((line + "\n\n").encode())
        self.wfile.flush()

    def end_stream(self, finish: str = "stop") -> None:
        self.send_delta({}, finish)
        last = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        self.send_line("data: " + json.dumps({**last, "choices": [], "usage": self.usage}))
        self.send_line("data: [DONE]")


@dataclass
class Script:
    """What the server does with each request; the last act is repeated."""

    acts: list[Act]
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    heads: list[dict[str, str]] = field(default_factory=list)
    """What was sent to see whether the server is there."""


class ModelServer(ThreadingHTTPServer):
    """The server; it plays its script."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Exchange)
        self.script = script
        self._lock = threading.Lock()

    def next_act(self, body: dict[str, Any], headers: dict[str, str]) -> Act:
        with self._lock:
            self.script.requests.append(body)
            self.script.headers.append(headers)
            self.script.times.append(time.monotonic())
            return self.script.acts[min(len(self.script.requests), len(self.script.acts)) - 1]

    def handle_error(self, *_: Any) -> None:
        """A client that hangs up is what some of the tests are about."""


@contextmanager
def serving(*acts: Act) -> Iterator[tuple[str, Script]]:
    """The address of a server that plays the acts, and what it was asked."""
    script = Script(list(acts))
    server = ModelServer(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def stating(usage: object, act: Act) -> Act:
    """The same, with another statement about what it used."""

    def stated(exchange: Exchange) -> None:
        exchange.usage = usage
        act(exchange)

    return stated


def says(text: str, finish: str = "stop", size: int = 1000, pause: float = 0.0) -> Act:
    """A reply in plain text, in pieces."""

    def act(exchange: Exchange) -> None:
        exchange.start_stream()
        for start in range(0, len(text), size):
            exchange.send_delta({"role": "assistant", "content": text[start : start + size]})
            time.sleep(pause)
        exchange.end_stream(finish)

    return act


def calls(*wanted: tuple[str, str], finish: str = "tool_calls") -> Act:
    """A reply that calls tools; the arguments are text, whatever they say."""

    def act(exchange: Exchange) -> None:
        exchange.start_stream()
        for index, (name, arguments) in enumerate(wanted):
            function = {"name": name, "arguments": arguments}
            call = {
                "index": index,
                "id": f"call_{time.monotonic_ns()}",
                "type": "function",
                "function": function,
            }
            exchange.send_delta({"role": "assistant", "tool_calls": [call]})
        exchange.end_stream(finish)

    return act


def refuses(text: str) -> Act:
    """A reply with OpenAI's field for refusals."""

    def act(exchange: Exchange) -> None:
        exchange.start_stream()
        exchange.send_delta({"role": "assistant", "refusal": text})
        exchange.end_stream()

    return act


def fails(status: int, message: str = "no", **headers: str) -> Act:
    """An HTTP status in place of a reply."""
    return lambda exchange: exchange.send_status(status, {"error": {"message": message}}, **headers)


def breaks_off(text: str = "") -> Act:
    """Some text, and then the connection is gone."""

    def act(exchange: Exchange) -> None:
        if text:
            exchange.start_stream()
            exchange.send_delta({"role": "assistant", "content": text})
        exchange.close_connection = True
        exchange.connection.close()

    return act


def is_silent(text: str = "") -> Act:
    """Some text, and then nothing until the client has hung up."""

    def act(exchange: Exchange) -> None:
        exchange.start_stream()
        if text:
            exchange.send_delta({"role": "assistant", "content": text})
        exchange.rfile.read(1)

    return act


def keeps_alive(seconds: float, text: str) -> Act:
    """Signs of life without content for a while, and then the reply."""

    def act(exchange: Exchange) -> None:
        exchange.start_stream()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            exchange.send_line(": still thinking")
            time.sleep(0.05)
        exchange.send_delta({"role": "assistant", "content": text})
        exchange.end_stream()

    return act
