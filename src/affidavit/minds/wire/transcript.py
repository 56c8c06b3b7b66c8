"""Make the messages of a conversation, redact them before they are sent, and store them as data."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from affidavit.contract.reply_text import writable
from affidavit.redaction.text import Redactor

_RESPONSES: TypeAdapter[ModelResponse] = TypeAdapter(ModelResponse)
_MAX_LEVELS = 50
"""No tool takes more than a list in an object."""
_MAX_NAME_LENGTH = 200
"""No tool has a longer name, and the name is sent back with every later request."""
_MAX_REFUSED = 2_000
"""Characters of a refused call that are sent back with every later request."""


@dataclass(frozen=True)
class ToolCall:
    """A tool that the model wants called."""

    call_id: str
    name: str
    arguments: object
    """The decoded arguments; their text where it is not JSON."""


def opening(prefix: str, task: str) -> ModelRequest:
    """Return the first message; a cache mark separates what many talks share from the task."""
    if prefix and task:
        return ModelRequest(parts=[UserPromptPart(content=[prefix, CachePoint(), task])])
    return ModelRequest(parts=[UserPromptPart(content=prefix or task)])


def without_cache_points(messages: Iterable[ModelMessage]) -> list[ModelMessage]:
    """Return messages for a provider that takes no marks: each is one text, as some servers require."""
    return [_joined(each) if isinstance(each, ModelRequest) else each for each in messages]


def _joined(request: ModelRequest) -> ModelRequest:
    parts = [
        replace(part, content=_text_in(part.content)) if isinstance(part, UserPromptPart) else part
        for part in request.parts
    ]
    return replace(request, parts=parts)


def _text_in(content: str | Sequence[Any]) -> str:
    if isinstance(content, str):
        return content
    return "\n\n".join(each for each in content if isinstance(each, str))


def clean(messages: Iterable[ModelMessage], redactor: Redactor) -> list[ModelMessage]:
    """Return the messages without secrets."""

    def cleaned(text: str) -> str:
        return redactor.redact(writable(text))

    return [
        replace(each, parts=[_clean_part(part, cleaned) for part in each.parts])
        if isinstance(each, ModelRequest)
        else each
        for each in messages
    ]


def _clean_part(part: Any, cleaned: Callable[[str], str]) -> Any:
    if isinstance(part.content, list):
        content = [cleaned(each) if isinstance(each, str) else each for each in part.content]
        return replace(part, content=content)
    return replace(part, content=cleaned(str(part.content)))


def repaired(reply: ModelResponse) -> ModelResponse:
    """Return a reply that can be sent back: arguments that are no JSON object are wrapped in one."""
    parts: list[ModelResponsePart] = []
    part: Any
    for part in reply.parts:
        if isinstance(part, ToolCallPart):
            parts.append(replace(part, tool_name=_name(part), args=writable(part.args_as_json_str())))
        elif isinstance(part, TextPart | ThinkingPart):
            parts.append(replace(part, content=writable(part.content)))
        else:
            parts.append(part)
    return replace(reply, parts=parts)


def without_refused(reply: ModelResponse, results: Iterable[ToolReturnPart]) -> ModelResponse:
    """Leave out the long arguments of calls that were answered with an error: nothing was done with them."""
    texts = {one.tool_call_id: str(one.content) for one in results}
    refused = {name for name, text in texts.items() if text.startswith("error: ") and "\n" not in text}
    return replace(
        reply,
        parts=[
            replace(part, args=_in_short(part.args_as_json_str()))
            if isinstance(part, ToolCallPart) and part.tool_call_id in refused
            else part
            for part in reply.parts
        ],
    )


def _in_short(arguments: str) -> str:
    left_out = {"left_out": f"{len(arguments)} characters, since the call was refused"}
    return arguments if len(arguments) <= _MAX_REFUSED else json.dumps(left_out)


def _name(part: ToolCallPart) -> str:
    return writable(part.tool_name[:_MAX_NAME_LENGTH])


def text_of(reply: ModelResponse) -> str:
    """Return what the model wrote, without what it thought."""
    return writable("".join(part.content for part in reply.parts if isinstance(part, TextPart)))


def answer_in(reply: ModelResponse, schema_name: str) -> str | None:
    """Return the arguments of the last call that hands in the answer, as they were sent."""
    calls = [part for part in reply.parts if isinstance(part, ToolCallPart) and part.tool_name == schema_name]
    if not calls:
        return None
    arguments = calls[-1].args
    return writable(arguments if isinstance(arguments, str) else json.dumps(arguments or {}))


def calls_in(reply: ModelResponse, schema_name: str) -> list[ToolCall]:
    """Return the tools that the model wants called."""
    return [
        ToolCall(part.tool_call_id, _name(part), _arguments(part))
        for part in reply.parts
        if isinstance(part, ToolCallPart) and part.tool_name != schema_name
    ]


def _arguments(part: ToolCallPart) -> object:
    """Decode the arguments of a call; return text, which the tool refuses, if that fails."""
    if not isinstance(part.args, str):
        read: object = part.args or {}
    else:
        try:
            read = json.loads(part.args) if part.args.strip() else {}
        except (ValueError, RecursionError):
            return writable(part.args)
    return read if _is_within(read, _MAX_LEVELS) else f"arguments of more than {_MAX_LEVELS} levels"


def _is_within(value: object, levels: int) -> bool:
    """Check that a value is not nested deeper, so that walking it cannot exhaust the stack."""
    if not isinstance(value, dict | list):
        return True
    inner = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_is_within(each, levels - 1) for each in inner)


def as_data(messages: Sequence[ModelMessage]) -> list[dict[str, Any]]:
    """Return a conversation without ids, times and thoughts: the same content gives the same data."""
    numbers: dict[str, int] = {}
    return [_message_data(message, numbers) for message in messages]


def _message_data(message: ModelMessage, numbers: dict[str, int]) -> dict[str, Any]:
    if isinstance(message, ModelResponse):
        calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
        for call in calls:
            numbers.setdefault(call.tool_call_id, len(numbers) + 1)
        return {
            "role": "assistant",
            "text": text_of(message),
            "calls": [
                {"call": numbers[each.tool_call_id], "tool": each.tool_name, "arguments": each.args_as_dict()}
                for each in calls
            ],
        }
    return {"role": "user", "parts": [_part_data(part, numbers) for part in message.parts]}


def _part_data(part: Any, numbers: dict[str, int]) -> dict[str, Any]:
    if isinstance(part, ToolReturnPart):
        return {"call": numbers.get(part.tool_call_id, 0), "tool": part.tool_name, "text": str(part.content)}
    # A cache mark is not content: with or without it, it is the same talk.
    return {"text": _text_in(part.content)}


def reply_as_data(reply: ModelResponse) -> dict[str, Any]:
    """Convert a reply to the form of the log, without the address that it came from."""
    data: dict[str, Any] = _RESPONSES.dump_python(
        replace(reply, provider_url=None, provider_details=None), mode="json", exclude_none=True
    )
    return data


def reply_from_data(data: dict[str, Any]) -> ModelResponse:
    """Read a reply from the log; raise ValueError if it cannot be read."""
    return _RESPONSES.validate_python(data)
