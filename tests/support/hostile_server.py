"""A model server that means harm, one named behaviour at a time.

`python tests/support/hostile_server.py endless_line` serves one of them until it is ended.
"""

import json
import sys
import time
import zlib
from collections.abc import Iterator
from functools import cache

from model_server import Act, Exchange, calls, says, serving, stating

BLOCK = b"a" * 65_536
PAUSE_SECONDS = 0.05
USAGE_CHUNK = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}
BEHAVIOURS: dict[str, Act] = {}
"""What the server does with each request, by name."""


def _behaviour(act: Act) -> Act:
    BEHAVIOURS[getattr(act, "__name__", "")] = act
    return act


def _begin(exchange: Exchange, status: int = 200, **headers: str) -> None:
    """A head without a length: the body ends with the connection, if at all."""
    exchange.send_response(status)
    for name, value in {"Content_Type": "text/event-stream", **headers}.items():
        exchange.send_header(name.replace("_", "-"), value)
    exchange.send_header("Connection", "close")
    exchange.end_headers()
    exchange.close_connection = True


def _flood(exchange: Exchange, block: bytes) -> None:
    while True:
        exchange.wfile.write(block)


def _trickle(exchange: Exchange, text: bytes) -> None:
    for each in text * 1_000:
        exchange.wfile.write(bytes([each]))
        exchange.wfile.flush()
        time.sleep(PAUSE_SECONDS)


def _deltas(exchange: Exchange, deltas: Iterator[dict[str, object]]) -> None:
    exchange.start_stream()
    for delta in deltas:
        exchange.send_delta(delta)


# Bytes without end


@_behaviour
def endless_line(exchange: Exchange) -> None:
    _begin(exchange)
    exchange.wfile.write(b"data: ")
    _flood(exchange, BLOCK)


@_behaviour
def endless_line_after_a_word(exchange: Exchange) -> None:
    exchange.start_stream()
    exchange.send_delta({"role": "assistant", "content": "{"})
    exchange.wfile.write(b"data: ")
    _flood(exchange, BLOCK)


@_behaviour
def endless_event(exchange: Exchange) -> None:
    _begin(exchange)
    _flood(exchange, b"data: x\n" * 8_192)


@_behaviour
def endless_event_of_empty_lines_of_data(exchange: Exchange) -> None:
    _begin(exchange)
    exchange.wfile.write(b"data: " + b"x" * 3_000_000 + b"\n")
    _flood(exchange, b":\n" * 32_768)


@_behaviour
def endless_error(exchange: Exchange) -> None:
    _begin(exchange, 500, Content_Type="application/json")
    exchange.wfile.write(b'{"error": {"message": "')
    _flood(exchange, BLOCK)


@_behaviour
def endless_refusal(exchange: Exchange) -> None:
    _begin(exchange, 400, Content_Type="application/json")
    exchange.wfile.write(b'{"error": {"message": "')
    _flood(exchange, BLOCK)


@_behaviour
def endless_plain_reply(exchange: Exchange) -> None:
    _begin(exchange, Content_Type="application/json")
    exchange.wfile.write(b'{"choices": [{"message": {"content": "')
    _flood(exchange, BLOCK)


@_behaviour
def endless_redirect(exchange: Exchange) -> None:
    _begin(exchange, 307, Location=exchange.path)
    _flood(exchange, BLOCK)


@_behaviour
def endless_headers(exchange: Exchange) -> None:
    exchange.send_response(200)
    exchange.flush_headers()
    _flood(exchange, b"X-More: of the same\r\n" * 4_096)


@_behaviour
def endless_header(exchange: Exchange) -> None:
    exchange.send_response(200)
    exchange.flush_headers()
    exchange.wfile.write(b"X-More: ")
    _flood(exchange, BLOCK)


@_behaviour
def endless_promises(exchange: Exchange) -> None:
    _flood(exchange, b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000)


@_behaviour
def endless_chunk_size(exchange: Exchange) -> None:
    _begin(exchange, Transfer_Encoding="chunked")
    _flood(exchange, b"1" * 65_536)


@_behaviour
def endless_trailers(exchange: Exchange) -> None:
    _begin(exchange, Transfer_Encoding="chunked")
    exchange.wfile.write(b"0\r\n")
    _flood(exchange, b"X-More: of the same\r\n" * 4_096)


# Bytes that become more


@cache
def _zeros() -> bytes:
    """64 MB of zeros as a deflated block that stands alone, so that it may come again and again."""
    press = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return press.compress(bytes(2**26)) + press.flush(zlib.Z_FULL_FLUSH)


def _pressed(text: bytes, window_bits: int) -> bytes:
    """How compressed bytes begin, to be followed by blocks that stand alone."""
    press = zlib.compressobj(9, zlib.DEFLATED, window_bits)
    return press.compress(text) + press.flush(zlib.Z_FULL_FLUSH)


def _bomb(encoding: str, window_bits: int, status: int = 200) -> Act:
    def act(exchange: Exchange) -> None:
        _begin(exchange, status, Content_Encoding=encoding)
        exchange.wfile.write(_pressed(b"data: ", window_bits))
        _flood(exchange, _zeros())

    return act


def _bomb_in_a_bomb(exchange: Exchange) -> None:
    _begin(exchange, Content_Encoding="gzip, gzip")
    window_bits = zlib.MAX_WBITS | 16
    exchange.wfile.write(_pressed(_pressed(b"", window_bits), window_bits))
    _flood(exchange, _pressed(_zeros(), -zlib.MAX_WBITS))


def _nothing_in_it(exchange: Exchange) -> None:
    """Compressed bytes without end that decompress to nothing."""
    _begin(exchange, Content_Encoding="gzip")
    press = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    exchange.wfile.write(press.flush(zlib.Z_FULL_FLUSH))
    _flood(exchange, b"\x00\x00\x00\xff\xff" * 8_192)


BEHAVIOURS |= {
    "gzip_bomb": _bomb("gzip", zlib.MAX_WBITS | 16),
    "gzip_bomb_as_an_error": _bomb("gzip", zlib.MAX_WBITS | 16, 500),
    "deflate_bomb": _bomb("deflate", zlib.MAX_WBITS),
    "bomb_in_a_bomb": _bomb_in_a_bomb,
    "gzip_with_nothing_in_it": _nothing_in_it,
    # What the client cannot decompress it must not take for text without end either.
    "brotli": _bomb("br", -zlib.MAX_WBITS),
    "zstd": _bomb("zstd", -zlib.MAX_WBITS),
}


# Replies without end


@_behaviour
def endless_text(exchange: Exchange) -> None:
    _deltas(exchange, ({"role": "assistant", "content": "x" * 10_000} for _ in iter(int, 1)))


def _calling(**function: str) -> dict[str, object]:
    return {"index": 0, "id": "c", "type": "function", "function": function}


@_behaviour
def endless_tool_name(exchange: Exchange) -> None:
    _deltas(exchange, ({"tool_calls": [_calling(name="x" * 1_000, arguments="")]} for _ in iter(int, 1)))


@_behaviour
def endless_tool_arguments(exchange: Exchange) -> None:
    exchange.start_stream()
    exchange.send_delta({"tool_calls": [_calling(name="read", arguments='{"path": "')]})
    more = {"index": 0, "function": {"arguments": "x" * 10_000}}
    while True:
        exchange.send_delta({"tool_calls": [more]})


@_behaviour
def endless_arguments_of_no_tool(exchange: Exchange) -> None:
    more = {"index": 0, "function": {"arguments": "x" * 10_000}}
    _deltas(exchange, ({"tool_calls": [more]} for _ in iter(int, 1)))


@_behaviour
def endless_tool_calls(exchange: Exchange) -> None:
    exchange.start_stream()
    for start in range(0, 10**9, 1_000):
        each = [
            {**_calling(name="a", arguments="{}"), "index": start + more, "id": f"c{start + more}"}
            for more in range(1_000)
        ]
        exchange.send_delta({"tool_calls": each})


@_behaviour
def endless_calls_of_no_tool(exchange: Exchange) -> None:
    exchange.start_stream()
    for start in range(0, 10**9, 1_000):
        exchange.send_delta(
            {"tool_calls": [{"index": start + more, "function": {}} for more in range(1_000)]}
        )


@_behaviour
def many_objects_in_an_event(exchange: Exchange) -> None:
    exchange.start_stream()
    while True:
        exchange.send_line('data: {"choices": [' + "{}," * 1_300_000 + "{}]}")


# Silence, whatever it looks like


@_behaviour
def silence(exchange: Exchange) -> None:
    exchange.start_stream()
    exchange.rfile.read(1)


def _again_and_again(line: bytes, pause: float = PAUSE_SECONDS) -> Act:
    def act(exchange: Exchange) -> None:
        _begin(exchange)
        while True:
            exchange.wfile.write(line)
            exchange.wfile.flush()
            time.sleep(pause)

    return act


def _chunk(choices: list[object]) -> bytes:
    return b"data: " + json.dumps({**USAGE_CHUNK, "choices": choices}).encode() + b"\n\n"


def _promises(exchange: Exchange) -> None:
    while True:
        exchange.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(PAUSE_SECONDS)


def _in_the_head(exchange: Exchange) -> None:
    _trickle(exchange, b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 1_000)


def _in_an_error(exchange: Exchange) -> None:
    _begin(exchange, 500, Content_Type="application/json")
    _trickle(exchange, b'{"error": ')


def _in_a_line(exchange: Exchange) -> None:
    _begin(exchange)
    _trickle(exchange, b'data: {"choices": ')


BEHAVIOURS |= {
    "comments": _again_and_again(b": still here\n\n"),
    "blank_lines": _again_and_again(b"\n\n"),
    "empty_events": _again_and_again(b"event: ping\ndata:\n\n"),
    "empty_chunks": _again_and_again(_chunk([])),
    "empty_deltas": _again_and_again(_chunk([{"index": 0, "delta": {"content": ""}}])),
    "empty_calls": _again_and_again(_chunk([{"index": 0, "delta": {"tool_calls": []}}])),
    "promises": _promises,
    "comments_without_pause": _again_and_again(b": still here\n\n" * 1_000, 0),
    "a_byte_at_a_time_in_the_head": _in_the_head,
    "a_byte_at_a_time_in_an_error": _in_an_error,
    "a_byte_at_a_time_in_a_line": _in_a_line,
}


# Nonsense


def _sends(body: bytes, status: int = 200, kind: str = "text/event-stream") -> Act:
    def act(exchange: Exchange) -> None:
        _begin(exchange, status, Content_Type=kind)
        exchange.wfile.write(body)

    return act


def _raw(head: bytes) -> Act:
    def act(exchange: Exchange) -> None:
        exchange.wfile.write(head)
        exchange.close_connection = True

    return act


BAD_TEXT = b"\xff\xfe\xc3\x28\xed\xa0\x80"
DEEP = b"[" * 30_000
BEHAVIOURS |= {
    "invalid_utf8_in_a_line": _sends(b'data: {"choices": "' + BAD_TEXT + b'"}\n\n'),
    "invalid_utf8_in_a_comment": _sends(b": " + BAD_TEXT + b"\n\n"),
    "invalid_utf8_in_a_plain_reply": _sends(b'{"choices": "' + BAD_TEXT + b'"}', kind="application/json"),
    "invalid_utf8_in_an_error": _sends(b'{"error": "' + BAD_TEXT + b'"}', 500, "application/json"),
    "invalid_utf8_in_the_head": _raw(b"HTTP/1.1 200 " + BAD_TEXT + b"\r\nX-" + BAD_TEXT + b": 1\r\n\r\n"),
    "unknown_charset": _sends(b'{"error": "no"}', 500, "application/json; charset=idna"),
    "deep_json": _sends(b"data: " + DEEP + b"\n\n"),
    "deep_error": _sends(b'{"error": ' + DEEP, 400, "application/json"),
    "long_number": _sends(b'data: {"created": ' + b"9" * 10_000 + b"}\n\n"),
    "no_http": _raw(BLOCK),
    "a_wait_that_is_no_number": _raw(
        b"HTTP/1.1 429 No\r\nRetry-After: -1e999\r\nContent-Length: 2\r\n\r\n{}"
    ),
}


# What was used


def with_usage(usage: object, answer: str = "{}") -> Act:
    """A short reply, and any statement about what it used."""

    def act(exchange: Exchange) -> None:
        exchange.start_stream()
        exchange.send_delta({"role": "assistant", "content": answer})
        exchange.send_delta({}, "stop")
        exchange.send_line("data: " + json.dumps({**USAGE_CHUNK, "usage": usage}))
        exchange.send_line("data: [DONE]")

    return act


def _tokens(number: object) -> dict[str, object]:
    details = {"cached_tokens": number}
    return {
        "prompt_tokens": number,
        "completion_tokens": number,
        "total_tokens": number,
        "prompt_tokens_details": details,
    }


USAGES: dict[str, object] = {
    "one_token": _tokens(1),
    "no_tokens": _tokens(0),
    "negative_tokens": _tokens(-(10**6)),
    "very_many_tokens": _tokens(10**30),
    "infinitely_many_tokens": _tokens(float("inf")),
    "tokens_that_are_no_number": _tokens(float("nan")),
    "tokens_in_words": _tokens("many"),
    "tokens_in_a_list": _tokens([1, 2]),
    "usage_that_is_a_list": [1],
}


def after_the_probe(act: Act) -> Act:
    """A verifier that answers the question whether it is there, and harm from then on."""

    def either(exchange: Exchange) -> None:
        is_probe = "1 + 1" in json.dumps(exchange.body["messages"])
        judgement = '{"judgment":"REFUTED","qualified":false,"worth":"nit","reason":"it is 2"}'
        (says(judgement) if is_probe else act)(exchange)

    return either


def reads_forever(usage: object) -> Act:
    """A model that calls a tool in every reply and understates what it used."""

    def act(exchange: Exchange) -> None:
        tools = [tool["function"]["name"] for tool in exchange.body.get("tools", [])]
        name = "get_file_context" if "get_file_context" in tools else "read"
        stating(usage, calls((name, '{"file_path": "app.py", "start_line": 1, "end_line": 5}')))(exchange)

    return act


def main() -> None:
    """Serve the behaviour that the command line names."""
    with serving(BEHAVIOURS[sys.argv[1]]) as (address, _):
        sys.stdout.write(f"{address}\n")
        sys.stdout.flush()
        while True:
            time.sleep(1)


if __name__ == "__main__":
    main()
