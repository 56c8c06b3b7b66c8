"""A scripted provider for coding agents, on loopback: Anthropic's Messages and OpenAI's Responses."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Say:
    text: str


@dataclass(frozen=True)
class CallTool:
    name: str
    arguments: dict[str, Any]
    prefix: str = "mcp__affidavit__"
    """Empty for a tool of the agent's own."""


Act = Say | CallTool
Script = Callable[[str, int], Act]
"""What the model does, from all that it was sent as text, and how many results of tools are in that."""


@dataclass
class Provider:
    """The requests that the agents sent."""

    script: Script
    address: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)


@contextmanager
def provider(script: Script) -> Iterator[Provider]:
    """Serve the script to any number of agents."""
    kept = Provider(script)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None: ...

        def do_HEAD(self) -> None:
            self._send(200, b"")

        def do_GET(self) -> None:
            self._send(426, b"")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            kept.requests.append(body)
            text = json.dumps(body)
            results = text.count('"tool_result"') or text.count('_call_output"')
            # As we ask every model to, it takes its task from our tool first.
            has_task = '"get_task"' in text or "mcp__affidavit__get_task" in json.dumps(body.get("tools"))
            asks = has_task and not results
            act = CallTool("get_task", {}) if asks else kept.script(text, results - has_task)
            events = _messages(act) if "messages" in self.path else _responses(act, body)
            lines = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
            self._send(200, "".join(lines).encode(), "text/event-stream")

        def _send(self, status: int, body: bytes, kind: str = "text/plain") -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    kept.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _messages(act: Act) -> list[dict[str, Any]]:
    usage = {"input_tokens": 10, "output_tokens": 5}
    head = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": []}
    if isinstance(act, Say):
        block: dict[str, Any] = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": act.text}
    else:
        name = f"{act.prefix}{act.name}"
        block = {"type": "tool_use", "id": f"toolu_{id(act)}", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(act.arguments)}
    reason = "end_turn" if isinstance(act, Say) else "tool_use"
    return [
        {"type": "message_start", "message": {**head, "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]


def _responses(act: Act, body: dict[str, Any]) -> list[dict[str, Any]]:
    item: dict[str, Any]
    if isinstance(act, Say):
        content = [{"type": "output_text", "text": act.text, "annotations": []}]
        item = {"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": content}
    else:
        names = [one["name"] for one in body["tools"] if one["type"] == "namespace"]
        item = {"type": "function_call", "id": "f", "call_id": f"c{id(act)}", "name": act.name}
        item |= {"arguments": json.dumps(act.arguments), **({"namespace": names[0]} if names else {})}
    usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
    return [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "output": [item], "usage": usage}},
    ]
