"""See which tools a coding agent gives its model: a scripted provider on loopback reads its request."""

import json
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from affidavit.minds.coding_agents.programs import HARMLESS, PREFIX

TASK = "get_task"
"""Our tool with the task: a prompt would be searched for names of files, which the programs then read."""
UPGRADE_REQUIRED = 426


class CanaryProvider:
    """The scripted provider: its model asks for the task, which names a file, and ends."""

    def __init__(self, file: Path) -> None:
        self.seen: list[set[str]] = []
        """The names of the tools in each request."""
        self.task = f'{secrets.token_hex(16)}: see @{file} and @"{file}".'
        self._in_file = secrets.token_hex(16)
        file.write_text(self._in_file)
        self._fault = ""
        self._has_task = False

    @property
    def routes(self) -> list[Route]:
        """Return what the programs ask of their providers."""
        posts = {"/v1/messages": _messages, "/v1/responses": _responses}
        routes = [Route(path, self._answering(write), methods=["POST"]) for path, write in posts.items()]
        return [*routes, Route("/v1/responses", _no_web_socket, methods=["GET"])]

    def fault(self) -> str:
        """Return why the program is refused; empty if its model has our tools and nothing else."""
        if self._others:
            return f"its model has other tools than ours: {', '.join(self._others)[:300]}"
        return self._fault or ("" if self._has_task else "its model could not call our tools")

    @property
    def _others(self) -> list[str]:
        return sorted(set().union(*self.seen) - HARMLESS - {f"{PREFIX}{TASK}"})

    def _answering(self, write: Callable[[bool], list[dict[str, Any]]]) -> Any:
        async def answer(request: Request) -> Response:
            try:
                text = (await request.body()).decode()
                self._look(json.loads(text), text)
            except (ValueError, AttributeError, TypeError):
                self._fault = "its list of tools could not be read"
            lines = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in write(self._has_task))
            return Response("".join(lines), media_type="text/event-stream")

        return answer

    def _look(self, body: Any, text: str) -> None:
        self.seen.append(set(_names(body.get("tools"))))
        for one in body.get("input") or ():
            self.seen[-1].update(_names(one.get("tools") if isinstance(one, dict) else None))
        self._has_task |= self.task.partition(":")[0] in text
        if self._in_file in text:
            self._fault = "it sends files that a text only names"


def _names(tools: Any, prefix: str = "") -> Iterator[str]:
    for one in tools or ():
        name = f"{prefix}{one.get('name') or one.get('type')}"
        if one.get("type") == "namespace":
            yield from _names(one["tools"], f"{name}__")
        else:
            yield name


async def _no_web_socket(_request: Request) -> Response:
    return Response(status_code=UPGRADE_REQUIRED)


def _messages(has_task: bool) -> list[dict[str, Any]]:
    count = {"input_tokens": 1, "output_tokens": 1}
    head = {"id": "m", "type": "message", "role": "assistant", "model": "canary", "content": []}
    block: dict[str, Any] = {"type": "tool_use", "id": "toolu_1", "name": f"{PREFIX}{TASK}", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": "{}"}
    if has_task:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "ok"}
    reason = "end_turn" if has_task else "tool_use"
    return [
        {"type": "message_start", "message": {**head, "stop_reason": None, "usage": count}},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ]


def _responses(has_task: bool) -> list[dict[str, Any]]:
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    item: dict[str, Any] = {"type": "function_call", "id": "f", "call_id": "c", "name": TASK}
    item |= {"namespace": PREFIX.removesuffix("__"), "arguments": "{}"}
    if has_task:
        content = [{"type": "output_text", "text": "ok", "annotations": []}]
        item = {"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": content}
    return [
        {"type": "response.created", "response": {"id": "r"}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {"id": "r", "output": [item], "usage": usage}},
    ]
