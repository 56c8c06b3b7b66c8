"""Two processes that call each other: named calls with JSON go in at one end and come out at the other."""

import asyncio
import json
import struct
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from affidavit import errors

Served = Callable[..., Awaitable[Any]]
"""Takes the fields of a call, and returns what can be written as JSON."""
_HEAD = struct.Struct(">Q")
MAX_FRAME = 1_000_000_000
"""The other end reads hostile code: what it sends is bounded."""


class ChannelClosed(Exception):  # noqa: N818 - it is an end, not a mistake
    """The process at the other end is gone."""


class Refused(Exception):  # noqa: N818 - carries what went wrong at the other end
    """The other end failed in a way that has no name here."""


class Channel:
    """One end of a connection between two processes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()

    async def call(self, name: str, /, **fields: Any) -> Any:
        """What the other end returns; its errors are raised here."""
        self._number += 1
        number, answer = self._number, self._loop.create_future()
        self._waiting[number] = answer
        try:
            self._send({"call": number, "name": name, "fields": fields})
            await self._writer.drain()
            return await answer
        except (ConnectionError, BrokenPipeError) as error:
            raise ChannelClosed from error
        finally:
            self._waiting.pop(number, None)

    def tell(self, name: str, /, **fields: Any) -> None:
        """Say something that nobody answers; from any thread."""
        self._loop.call_soon_threadsafe(self._send, {"name": name, "fields": fields})

    async def serve(self, calls: Mapping[str, Served], tells: Mapping[str, Served]) -> None:
        """Answer calls side by side and take what is told in order, until the other end is gone."""
        try:
            while True:
                await self._take(await self._receive(), calls, tells)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            self._close()

    async def _take(self, frame: Any, calls: Mapping[str, Served], tells: Mapping[str, Served]) -> None:
        if "answer" in frame:
            self._settle(frame)
        elif "call" in frame:
            # Begun in the order in which they came: whoever counts them counts the same each time.
            task = asyncio.create_task(self._answer(frame, calls))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        else:
            await tells[frame["name"]](**frame["fields"])

    def _settle(self, frame: Any) -> None:
        answer = self._waiting.get(frame["answer"])
        if answer is None or answer.done():
            return
        if "error" in frame:
            answer.set_exception(_error_of(frame["error"]))
        else:
            answer.set_result(frame["result"])

    async def _answer(self, frame: Any, calls: Mapping[str, Served]) -> None:
        try:
            reply = {"answer": frame["call"], "result": await calls[frame["name"]](**frame["fields"])}
        except Exception as error:  # noqa: BLE001 - whatever it is, the other end waits for it
            reply = {"answer": frame["call"], "error": _as_data(error)}
        self._send(reply)

    async def _receive(self) -> Any:
        (length,) = _HEAD.unpack(await self._reader.readexactly(_HEAD.size))
        if length > MAX_FRAME:
            raise ConnectionError("a frame is too long")
        return json.loads(await self._reader.readexactly(length))

    def _send(self, frame: Any) -> None:
        data = json.dumps(frame, ensure_ascii=True).encode()
        if not self._writer.is_closing():
            self._writer.write(_HEAD.pack(len(data)) + data)

    def _close(self) -> None:
        self._writer.close()
        for task in self._tasks:
            task.cancel()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ChannelClosed())

    async def close(self) -> None:
        """Hang up, and wait for what is still being answered."""
        self._close()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _as_data(error: Exception) -> dict[str, Any]:
    return {
        "kind": type(error).__name__,
        "text": str(error),
        "retryable": bool(getattr(error, "retryable", False)),
        "retry_after_seconds": getattr(error, "retry_after_seconds", None),
    }


def _error_of(data: Mapping[str, Any]) -> Exception:
    """The same error, where it is one of ours."""
    kind = getattr(errors, str(data["kind"]), None)
    if not (isinstance(kind, type) and issubclass(kind, errors.AffidavitError)):
        return Refused(f"{data['kind']}: {data['text']}")
    if issubclass(kind, errors.OutsideError):
        return kind(
            str(data["text"]),
            retryable=bool(data["retryable"]),
            retry_after_seconds=data["retry_after_seconds"],
        )
    # An error that takes more than its words keeps its words and loses the rest.
    plain = errors.InputError if issubclass(kind, errors.MalformedDiffError) else kind
    return plain(str(data["text"]))
