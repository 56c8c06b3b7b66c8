"""Decide how many tokens a request used, by our own count and the server's report."""

import json
from dataclasses import dataclass
from typing import Any

from pydantic_ai.messages import ModelResponse

from affidavit.minds.prices import estimate_tokens, usual_tokens
from affidavit.minds.wire.transcript import as_data

_MOST_TOKENS = 1_000_000_000
"""No request has more; whoever says so is not believed."""
_BELIEVED_SHARE = 0.5
"""Of our own count, since tokenisers differ: who reports less than that is not believed."""


@dataclass(frozen=True)
class Used:
    """The tokens that one request counts for."""

    input_tokens: int
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    """To the provider's cache."""
    is_estimated: bool = False
    """The server reported nothing, or what cannot be true."""
    reported_tokens: int = 0


def most_input(request: dict[str, Any]) -> int:
    """Estimate the tokens of a request, rather too many than too few."""
    return estimate_tokens(json.dumps(request, ensure_ascii=False))


def used(request: dict[str, Any], reply: ModelResponse | None) -> Used:
    """Return what a request and its reply count for: never less than by our own count."""
    if reply is None:
        return Used(most_input(request), is_estimated=True)
    written = json.dumps(as_data([reply])[0], ensure_ascii=False)
    # Some servers keep a model to a schema without showing it the schema.
    read = json.dumps([request["instructions"], request["tools"], request["messages"]], ensure_ascii=False)
    least_in, least_out = usual_tokens(read), usual_tokens(_words_of(reply))
    stated_in, stated_out = _number(reply.usage.input_tokens), _number(reply.usage.output_tokens)
    stated = (stated_in or 0) + (stated_out or 0)
    if not (_is_credible(stated_in, least_in) and _is_credible(stated_out, least_out)):
        most_out = max(estimate_tokens(written), stated_out or 0)
        most_in = max(most_input(request), stated_in or 0)
        return Used(most_in, most_out, is_estimated=True, reported_tokens=stated)
    tokens = max(stated_in or 0, least_in)
    cached = min(_number(reply.usage.cache_read_tokens) or 0, tokens)
    kept = min(_number(reply.usage.cache_write_tokens) or 0, tokens - cached)
    return Used(tokens, max(stated_out or 0, least_out), cached, kept)


def _words_of(reply: ModelResponse) -> str:
    """Return what the model wrote, without what we write around it."""
    data = as_data([reply])[0]
    calls = "".join(f"{call['tool']} {json.dumps(call['arguments'])} " for call in data["calls"])
    return f"{data['text']}{calls}"


def _number(stated: object) -> int | None:
    """Return a reported number of tokens; None for anything else."""
    if isinstance(stated, bool) or not isinstance(stated, int):
        return None
    return stated if 0 <= stated <= _MOST_TOKENS else None


def _is_credible(stated: int | None, least: int) -> bool:
    return stated is not None and stated > 0 and stated >= least * _BELIEVED_SHARE
