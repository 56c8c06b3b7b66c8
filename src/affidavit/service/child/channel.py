"""Let two processes call each other: named calls with JSON fields, one line each."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from affidavit import errors

Served = Callable[..., Awaitable[Any]]
"""Takes the fields of a call and returns JSON data."""
MAX_LINE = 500_000_000
"""Limited, because the other end reads hostile code."""


class ChannelClosed(Exception):  # noqa: N818 - an ending, not a mistake
    """The other process has ended."""


class Refused(Exception):  # noqa: N818 - carries the error of the other end
    """The other end raised an error that is not an AffidavitError."""


class Channel:
    """One end of a connection between two processes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._number = 0
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()

    async def call(self, name: str, /, **fields: Any) -> Any:
        """Call the other end; raise its errors here."""
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
        """Send a message that needs no answer; safe from any thread."""
        self._loop.call_soon_threadsafe(self._send, {"name": name, "fields": fields})

    async def serve(self, calls: Mapping[str, Served], tells: Mapping[str, Served]) -> None:
        """Answer calls concurrently and messages in order until the other end closes."""
        try:
            while line := await self._reader.readline():
                await self._take(json.loads(line), calls, tells)
        except (ValueError, ConnectionError):
            # The line is cut off or too long: the other end is broken.
            return
        finally:
            self._close()

    async def _take(self, frame: Any, calls: Mapping[str, Served], tells: Mapping[str, Served]) -> None:
        if "answer" in frame:
            self._settle(frame)
        elif "call" in frame:
            # Started in the order of arrival, so that a second attempt counts calls in the same order.
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
        except Exception as error:  # noqa: BLE001 - the other end waits for an answer in any case
            reply = {"answer": frame["call"], "error": _as_data(error)}
        # Queued after the call's messages: the other end may stop listening once it has the answer.
        self._loop.call_soon(self._send, reply)

    def _send(self, frame: Any) -> None:
        if not self._writer.is_closing():
            self._writer.write(json.dumps(frame, ensure_ascii=True).encode() + b"\n")

    def _close(self) -> None:
        self._writer.close()
        for task in self._tasks:
            task.cancel()
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ChannelClosed())

    async def close(self) -> None:
        """Close, and wait for the answers in progress."""
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
    """Rebuild an error of ours; wrap any other in Refused."""
    kind = getattr(errors, str(data["kind"]), None)
    if not (isinstance(kind, type) and issubclass(kind, errors.AffidavitError)):
        return Refused(f"{data['kind']}: {data['text']}")
    if issubclass(kind, errors.OutsideError):
        return kind(
            str(data["text"]),
            retryable=bool(data["retryable"]),
            retry_after_seconds=data["retry_after_seconds"],
        )
    # MalformedDiffError takes more than a message.
    plain = errors.InputError if issubclass(kind, errors.MalformedDiffError) else kind
    return plain(str(data["text"]))
