"""Start a language server in the sandbox and talk to it within time limits."""

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from affidavit.analysers.execution import (
    Limits,
    Walls,
    find_executable,
    isolated_environment,
)
from affidavit.errors import SettingsError
from affidavit.languages.javascript import JAVASCRIPT, TYPESCRIPT
from affidavit.languages.python import PYTHON
from affidavit.languages.python_modules import MODULE_ENDS
from affidavit.system.temporary import Closing

JAVASCRIPT_ENDS = tuple(f".{ending}" for language in (TYPESCRIPT, JAVASCRIPT) for ending in language.endings)
MAX_HEADER_BYTES = 4096
MAX_BODY_BYTES = 32_000_000
MAX_UNREAD = 10_000
END_SECONDS = 2.0
LENGTH = b"content-length:"

Message = dict[str, Any]


class ServerError(Exception):
    """The server is dead, late or broken. Callers continue without it."""


@dataclass(frozen=True)
class Server:
    """One server. Its checkout holds only files with these endings or names."""

    name: str
    executable: str
    arguments: tuple[str, ...]
    languages: frozenset[str]
    endings: tuple[str, ...]
    file_names: frozenset[str] = frozenset()
    default_files: tuple[tuple[str, bytes], ...] = ()
    """Files to add if the tree lacks them."""

    def reads(self, path: str) -> bool:
        """Check whether a file belongs in the checkout; settings that may load code do not."""
        return path.endswith(self.endings) or path.rpartition("/")[2] in self.file_names


TY = Server("ty", "ty", ("server",), frozenset((PYTHON.name,)), MODULE_ENDS)
TSC = Server(
    "tsc",
    "tsc",
    ("--lsp", "--stdio"),
    frozenset((TYPESCRIPT.name, JAVASCRIPT.name)),
    JAVASCRIPT_ENDS,
    frozenset(("tsconfig.json", "tsconfig.base.json", "jsconfig.json", "package.json")),
    # Without it only the opened file is known.
    (("tsconfig.json", b'{"compilerOptions": {"allowJs": true}}'),),
)
SERVERS = (TY, TSC)


def find_servers(
    *, reviewed_folder: Path | None, programs: Mapping[str, Path] | None = None
) -> dict[Server, Path]:
    """Return the installed servers: the ones the user names, else those beside the interpreter or on PATH.

    Never return a program of the reviewed repository. Raise SettingsError if a named one cannot be used.
    """
    named = programs or {}
    found: dict[Server, Path] = {}
    for server in SERVERS:
        asked = str(named[server.name]) if server.name in named else server.executable
        program = find_executable(asked, reviewed_folder=reviewed_folder)
        if program is None and server.name in named:
            raise SettingsError(
                f"{asked} cannot be used as the language server {server.name}: give the absolute path of a "
                "program outside the reviewed repository"
            )
        if program is not None:
            found[server] = program
    return found


def encode_message(message: Message) -> bytes:
    """Return a message in wire format."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def read_message(stream: BinaryIO) -> Message | None:
    """Read the next message; return None at the end of the stream and raise ServerError for garbage."""
    length, seen = None, 0
    while line := stream.readline(MAX_HEADER_BYTES + 1):
        seen += len(line)
        if seen > MAX_HEADER_BYTES:
            raise ServerError("a header without an end")
        if line == b"\r\n":
            break
        value = line.lower().removeprefix(LENGTH).strip()
        if line.lower().startswith(LENGTH) and value.isdigit():
            length = int(value)
    if not line:
        return None
    if length is None or length > MAX_BODY_BYTES:
        raise ServerError("a header without a length that can be right")
    body = stream.read(length)
    if len(body) < length:
        return None
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ServerError("a body that is not JSON") from error
    if not isinstance(message, dict):
        raise ServerError("a body that is not an object")
    return message


class Session(Closing):
    """One running server. Closing it ends the process and its children."""

    def __init__(
        self,
        command: Sequence[str],
        checkout: Path,
        scratch: Path,
        limits: Limits,
        walls: Walls,
    ) -> None:
        guarded = walls(command, checkout, scratch, limits)
        if guarded is None:
            raise ServerError("this system has no sandbox for it")
        self._inbox: queue.Queue[Message | None] = queue.Queue(MAX_UNREAD)
        self._number = 0
        pipe = subprocess.PIPE
        try:
            self._process = subprocess.Popen(
                guarded,
                cwd=checkout,
                env=isolated_environment(scratch),
                stdin=pipe,
                stdout=pipe,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerError(f"it could not be started: {error}") from error
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        self.allow(limits.timeout_seconds)

    def close(self) -> None:
        """End the process and its children."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        self._listener.join(END_SECONDS)
        for stream in (self._process.stdin, self._process.stdout):
            # Closing stdin may flush to a dead process.
            with suppress(OSError):
                if stream is not None:
                    stream.close()

    def allow(self, seconds: float) -> None:
        """Set the deadline for the next requests."""
        self._deadline = time.monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        """Return the seconds until the deadline."""
        return self._deadline - time.monotonic()

    def start(self, checkout: Path) -> None:
        """Initialize the server."""
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
        """Send a notification."""
        self._send({"method": method, "params": parameters})

    def request(self, method: str, parameters: Mapping[str, Any]) -> Any:
        """Send a request and return its result; raise ServerError if none comes in time."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                self._answer(message)
            elif message.get("id") == self._number and "method" not in message:
                # An error counts as an empty answer.
                return message.get("result")

    def _answer(self, message: Message) -> None:
        """Answer the server: no settings, progress allowed, everything else unsupported."""
        method, parameters = message["method"], message.get("params")
        items = parameters.get("items") if isinstance(parameters, dict) else None
        if method == "workspace/configuration":
            answer: Message = {"result": [None] * (len(items) if isinstance(items, list) else 0)}
        elif method in ("client/registerCapability", "window/workDoneProgress/create"):
            answer = {"result": None}
        else:
            answer = {"error": {"code": -32601, "message": "not supported"}}
        self._send({"id": message["id"], **answer})

    def _send(self, message: Message) -> None:
        if self._process.stdin is None or self.seconds_left <= 0:
            raise ServerError("it took too long")
        # A server that does not read would block the write, so a timer ends it at the deadline.
        guard = threading.Timer(self.seconds_left, self._process.kill)
        guard.start()
        try:
            self._process.stdin.write(encode_message({"jsonrpc": "2.0", **message}))
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise ServerError("it stopped reading") from error
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
        """Read messages in a thread until the server ends; then queue None."""
        stream: Any = self._process.stdout
        message: Message | None = {}
        while message is not None:
            try:
                message = read_message(stream)
            except (OSError, ValueError, ServerError):
                message = None
            try:
                self._inbox.put_nowait(message)
            except queue.Full:
                self._process.kill()
                return
