"""Talk to one language server: known programs, the wire of the protocol, time limits, a certain end."""

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
    limited_command,
)
from affidavit.errors import SettingsError
from affidavit.languages.javascript import JAVASCRIPT, TYPESCRIPT
from affidavit.languages.python import PYTHON
from affidavit.languages.python.modules import MODULE_ENDS
from affidavit.system.temporary import Closing

JAVASCRIPT_ENDS = tuple(f".{ending}" for language in (TYPESCRIPT, JAVASCRIPT) for ending in language.endings)
MAX_HEADER_BYTES = 4096
MAX_BODY_BYTES = 32_000_000
MAX_UNREAD = 10_000
END_SECONDS = 2.0
LENGTH = b"content-length:"

Message = dict[str, Any]


class ServerError(Exception):
    """The server is dead, late or talks nonsense. Callers go on without it."""


@dataclass(frozen=True)
class Server:
    """One server. Only files with these endings or names are laid before it."""

    name: str
    executable: str
    arguments: tuple[str, ...]
    languages: frozenset[str]
    endings: tuple[str, ...]
    file_names: frozenset[str] = frozenset()
    default_files: tuple[tuple[str, bytes], ...] = ()
    """What is laid down where the tree has no such file."""
    reads_any_path: bool = False
    """A file can name any other on the machine, and the server reads that: behind walls or not at all."""

    def reads(self, path: str) -> bool:
        """Check whether the file belongs into the checkout. Settings that may load code do not."""
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
    reads_any_path=True,
)
SERVERS = (TY, TSC)


def find_servers(
    *, reviewed_folder: Path | None, programs: Mapping[str, Path] | None = None
) -> dict[Server, Path]:
    """Return the servers that are there: where the user says, else beside the interpreter or on PATH.

    A program of the reviewed repository is never taken. Raises SettingsError where the user names a program
    that is none.
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
    """Return a message as it is sent."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def read_message(stream: BinaryIO) -> Message | None:
    """Read the next message; None at the end of the stream. Raises ServerError for anything else."""
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
            # What was not sent yet cannot be sent any more.
            with suppress(OSError):
                if stream is not None:
                    stream.close()

    def allow(self, seconds: float) -> None:
        """Give the next piece of work its own time."""
        self._deadline = time.monotonic() + seconds

    @property
    def seconds_left(self) -> float:
        """Return the seconds until the deadline."""
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
        self._send({"method": method, "params": parameters})

    def request(self, method: str, parameters: Mapping[str, Any]) -> Any:
        """Ask and wait; raises ServerError where no answer comes in time."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                self._answer(message)
            elif message.get("id") == self._number and "method" not in message:
                # An error is an answer, too: the server knows nothing.
                return message.get("result")

    def _answer(self, message: Message) -> None:
        """Servers ask for settings and for permission to show progress: there are none, and they may."""
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
        # A server that does not read would block us for ever, so somebody else ends it at the deadline.
        guard = threading.Timer(self.seconds_left, self._process.kill)
        guard.start()
        try:
            self._process.stdin.write(encode_message({"jsonrpc": "2.0", **message}))
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
