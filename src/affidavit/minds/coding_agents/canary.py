"""See which tools a coding agent gives its model: a scripted provider on loopback reads its request."""

import json
from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from affidavit.minds.coding_agents.programs import HARMLESS, PREFIX

TOOL = "canary_tool"
TOOLS = (
    {
        "type": "function",
        "function": {"name": TOOL, "description": "Not needed.", "parameters": {"type": "object"}},
    },
)
UPGRADE_REQUIRED = 426
_ANSWER = "ok"


class CanaryProvider:
    """The scripted provider, and the tools that it saw."""

    def __init__(self) -> None:
        self.seen: list[set[str]] = []
        """The names of the tools in each request."""
        self.is_unreadable = False

    @property
    def routes(self) -> list[Route]:
        """Return what the programs ask of their providers."""
        posts = {"/v1/messages": _MESSAGES, "/v1/responses": _RESPONSES}
        routes = [Route(path, self._answering(events), methods=["POST"]) for path, events in posts.items()]
        return [*routes, Route("/v1/responses", _no_web_socket, methods=["GET"])]

    def fault(self) -> str:
        """Return why the program is refused; empty if it offers our tools and no others."""
        if self.is_unreadable or not self.seen:
            return "its list of tools could not be read"
        own = f"{PREFIX}{TOOL}"
        others = sorted(set().union(*self.seen) - HARMLESS - {own})
        if others:
            return f"its model has other tools than ours: {', '.join(others)[:300]}"
        return "" if any(own in names for names in self.seen) else "it does not offer our tools to its model"

    def _answering(self, events: list[dict[str, Any]]) -> Any:
        async def answer(request: Request) -> Response:
            try:
                body = json.loads(await request.body())
                self.seen.append(set(_names(body.get("tools"))))
                for one in body.get("input") or ():
                    self.seen[-1].update(_names(one.get("tools") if isinstance(one, dict) else None))
            except (ValueError, AttributeError, TypeError):
                self.is_unreadable = True
            lines = (f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events)
            return Response("".join(lines), media_type="text/event-stream")

        return answer


def _names(tools: Any, prefix: str = "") -> Iterator[str]:
    for one in tools or ():
        name = f"{prefix}{one.get('name') or one.get('type')}"
        if one.get("type") == "namespace":
            yield from _names(one["tools"], f"{name}__")
        else:
            yield name


async def _no_web_socket(_request: Request) -> Response:
    return Response(status_code=UPGRADE_REQUIRED)


_MESSAGE = {"id": "m", "type": "message", "role": "assistant", "model": "canary", "content": []}
_COUNT = {"input_tokens": 1, "output_tokens": 1}
_MESSAGES: list[dict[str, Any]] = [
    {"type": "message_start", "message": {**_MESSAGE, "stop_reason": None, "usage": _COUNT}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": _ANSWER}},
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
]
_ITEM = {
    "type": "message",
    "id": "i",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": _ANSWER, "annotations": []}],
}
_RESPONSES: list[dict[str, Any]] = [
    {"type": "response.created", "response": {"id": "r"}},
    {"type": "response.output_item.done", "output_index": 0, "item": _ITEM},
    {
        "type": "response.completed",
        "response": {"id": "r", "output": [_ITEM], "usage": {**_COUNT, "total_tokens": 2}},
    },
]
