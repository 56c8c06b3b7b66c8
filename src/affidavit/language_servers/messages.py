"""The wire of the language server protocol: from bytes to messages and back, whatever a server prints."""

import json
from typing import Any

MAX_HEADER_BYTES = 4096
MAX_BODY_BYTES = 32_000_000
SEPARATOR = b"\r\n\r\n"
LENGTH = b"content-length:"

Message = dict[str, Any]


class BrokenWireError(Exception):
    """What the server printed is no protocol. It ends the session, nothing else."""


def encode_message(message: Message) -> bytes:
    """A message as it is sent."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


class MessageReader:
    """Takes bytes as they come and gives whole messages back."""

    def __init__(self) -> None:
        self._waiting = bytearray()

    def feed(self, data: bytes) -> list[Message]:
        """The messages that are complete now; raises BrokenWireError for anything else."""
        self._waiting += data
        found = []
        while (message := self._next()) is not None:
            found.append(message)
        return found

    def _next(self) -> Message | None:
        end = self._waiting.find(SEPARATOR)
        if end < 0:
            if len(self._waiting) > MAX_HEADER_BYTES:
                raise BrokenWireError("a header without an end")
            return None
        start = end + len(SEPARATOR)
        length = _length(bytes(self._waiting[:end]))
        if len(self._waiting) < start + length:
            return None
        body = bytes(self._waiting[start : start + length])
        del self._waiting[: start + length]
        return _decoded(body)


def _length(header: bytes) -> int:
    for line in header.lower().split(b"\r\n"):
        value = line.removeprefix(LENGTH).strip()
        if line.startswith(LENGTH) and value.isdigit() and int(value) <= MAX_BODY_BYTES:
            return int(value)
    raise BrokenWireError("a header without a length that can be right")


def _decoded(body: bytes) -> Message:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BrokenWireError("a body that is not JSON") from error
    if not isinstance(message, dict):
        raise BrokenWireError("a body that is not an object")
    return message
