"""A conversation with one language server: isolated, with time limits, and ended for certain."""

import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from affidavit.analysers.execution import Limits, Walls, isolated_environment, limited_command
from affidavit.language_servers.messages import BrokenWireError, Message, MessageReader, encode_message

CHUNK = 65_536
MAX_UNREAD = 10_000
END_SECONDS = 2.0
NO_SUCH_METHOD = {"code": -32601, "message": "not supported"}


class ServerError(Exception):
    """The server is dead, late or talks nonsense. Callers go on without it."""


class Session:
    """One running server. Each piece of work has its deadline; leaving ends the process and its children."""

    def __init__(
        self,
        command: Sequence[str],
        checkout: Path,
        scratch: Path,
        limits: Limits,
        walls: Walls | None = None,
    ) -> None:
        guarded = walls(command, checkout, scratch, limits) if walls else limited_command(command, limits)
        if guarded is None:
            raise ServerError("files can name any other to it, and this system cannot keep it to its own")
        self._deadline = time.monotonic() + limits.timeout_seconds
        self._inbox: queue.Queue[Message | None] = queue.Queue(MAX_UNREAD)
        self._number = 0
        try:
            self._process = subprocess.Popen(
                guarded,
                cwd=checkout,
                env=isolated_environment(scratch),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerError(f"it could not be started: {error}") from error
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        self._listener.join(END_SECONDS)
        for stream in (self._process.stdin, self._process.stdout):
            # What was not sent yet cannot be sent any more.
            with suppress(OSError):
                if stream is not None:
                    stream.close()

    def allow(self, seconds: float) -> None:
        """Give the next piece of work its own time."""
        self._deadline = time.monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        """Until the deadline."""
        return self._deadline - time.monotonic()

    def start(self, checkout: Path) -> None:
        """Introduce ourselves."""
        folder = {"uri": checkout.as_uri(), "name": "checkout"}
        parameters = {
            "processId": None,
            "rootUri": folder["uri"],
            "workspaceFolders": [folder],
            "capabilities": {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}},
        }
        self.request("initialize", parameters)
        self.notify("initialized", {})

    def notify(self, method: str, parameters: Mapping[str, Any]) -> None:
        """Say something that wants no answer."""
        self._send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def request(self, method: str, parameters: Mapping[str, Any]) -> Any:
        """Ask and wait; raises ServerError where no answer comes in time."""
        self._number += 1
        number = self._number
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": parameters})
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                self._answer(message)
            elif message.get("id") == number and "method" not in message:
                # An error is an answer, too: the server knows nothing.
                return message.get("result")

    def _answer(self, message: Message) -> None:
        """Servers ask for settings and for permission to show progress: there are none, and they may."""
        method, answer = message["method"], {"jsonrpc": "2.0", "id": message["id"]}
        parameters = message.get("params")
        if method == "workspace/configuration":
            items = parameters.get("items") if isinstance(parameters, dict) else None
            self._send({**answer, "result": [None] * (len(items) if isinstance(items, list) else 0)})
        elif method in ("client/registerCapability", "window/workDoneProgress/create"):
            self._send({**answer, "result": None})
        else:
            self._send({**answer, "error": NO_SUCH_METHOD})

    def _send(self, message: Message) -> None:
        if self._process.stdin is None or self.seconds_left <= 0:
            raise ServerError("it took too long")
        # A server that does not read would block us for ever, so somebody else ends it at the deadline.
        guard = threading.Timer(self.seconds_left, self._process.kill)
        guard.start()
        try:
            self._process.stdin.write(encode_message(message))
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise ServerError("it does not listen any more") from error
        finally:
            guard.cancel()

    def _receive(self) -> Message:
        try:
            message = self._inbox.get(timeout=max(self.seconds_left, 0.001))
        except queue.Empty:
            raise ServerError("it took too long") from None
        if message is None:
            raise ServerError("it ended, or did not follow the protocol")
        return message

    def _listen(self) -> None:
        """Read in a thread of its own until the server ends; the last message is None."""
        reader, descriptor = MessageReader(), self._process.stdout.fileno() if self._process.stdout else -1
        with suppress(OSError, BrokenWireError, queue.Full, ValueError):
            while data := os.read(descriptor, CHUNK):
                for message in reader.feed(data):
                    self._inbox.put_nowait(message)
        self._put_end()

    def _put_end(self) -> None:
        while True:
            try:
                self._inbox.put_nowait(None)
            except queue.Full:
                with suppress(queue.Empty):
                    self._inbox.get_nowait()
            else:
                return
