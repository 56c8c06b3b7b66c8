"""Read a whole reply from a server that was asked for a stream and does not stream."""

import json
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, cast

import httpx2
from openai import APIConnectionError, APITimeoutError
from openai.types.chat import ChatCompletionChunk
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings

from affidavit.minds.wire.bounds import PIECE_BYTES, TooMuchSentError

if TYPE_CHECKING:
    from openai import AsyncStream
    from pydantic_ai.models.openai import OpenAIStreamedResponse


class LenientChatModel(OpenAIChatModel):
    """Chat Completions that reads a plain reply as a stream of one piece; no request is sent twice."""

    async def _process_streamed_response(
        self,
        response: "AsyncStream[ChatCompletionChunk]",
        model_request_parameters: ModelRequestParameters,
        model_settings: OpenAIChatModelSettings | None = None,
    ) -> "OpenAIStreamedResponse":
        if "json" in response.response.headers.get("content-type", "").lower():
            # What reads the stream only iterates over it.
            response = cast("AsyncStream[ChatCompletionChunk]", _as_stream(response))
        return await super()._process_streamed_response(response, model_request_parameters, model_settings)


async def _as_stream(response: "AsyncStream[ChatCompletionChunk]") -> AsyncIterator[ChatCompletionChunk]:
    body, source = bytearray(), response.response
    # The client's own reader of streams distinguishes these two in the same way.
    try:
        async for piece in source.aiter_bytes():
            body += piece
    except httpx2.TimeoutException as error:
        raise APITimeoutError(request=source.request) from error
    except httpx2.RequestError as error:
        raise APIConnectionError(request=source.request) from error
    if len(body) > PIECE_BYTES:
        raise TooMuchSentError(f"the server sent more in one piece than is read, {PIECE_BYTES:,} bytes")
    yield chunk_of(json.loads(bytes(body)))


def chunk_of(reply: Any) -> ChatCompletionChunk:
    """Convert a plain reply to the one chunk of a stream; raise ValueError for anything else."""
    choices = reply.get("choices") if isinstance(reply, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ValueError(f"the reply has no message: {json.dumps(reply)[:200]}")
    calls = [_call(index, call) for index, call in enumerate(message.get("tool_calls") or ())]
    # A whole reply has ended, even where the server does not say how.
    finish = choice.get("finish_reason") or ("tool_calls" if calls else "stop")
    # The client checks nothing that a server streams, so nothing is checked here either.
    return ChatCompletionChunk.construct(
        id=reply.get("id") or "",
        object="chat.completion.chunk",
        created=reply.get("created") or 0,
        model=reply.get("model") or "",
        choices=[{"index": 0, "delta": {**message, "tool_calls": calls or None}, "finish_reason": finish}],
        usage=reply.get("usage"),
    )


def _call(index: int, call: Any) -> Any:
    """Convert a tool call to the form of a stream: numbered, and with its arguments as text."""
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise ValueError("the reply has a tool call without a function")
    given = function.get("arguments")
    arguments = given if isinstance(given, str) else json.dumps(given if given is not None else {})
    return {**call, "index": index, "function": {**function, "arguments": arguments}}
