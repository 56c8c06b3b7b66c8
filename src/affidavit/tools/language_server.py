"""Ask language servers in the sandbox who uses a symbol and where a name is defined."""

import json
import os
import re
import signal
import subprocess
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException, parse_headers
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlparse

from affidavit.analysers.engine.execution import Limits, Walls, find_executable, isolated_environment, walled
from affidavit.git.checkout import write_tree_to
from affidavit.languages.javascript import JAVASCRIPT, TYPESCRIPT
from affidavit.languages.python import PYTHON
from affidavit.languages.python_modules import MODULE_ENDS
from affidavit.languages.registry import language_of
from affidavit.ports import Tree
from affidavit.records.context import Reference, Symbol
from affidavit.system.temporary import Closing, temporary_folder

MAX_BODY_BYTES = 32_000_000
MAX_SYMBOLS = 50
LIMITS = Limits(timeout_seconds=20.0)

Message = dict[str, Any]
Place = tuple[str, int]
"""Path and line."""


class ServerError(Exception):
    """The server is missing, dead, late or broken. Callers continue without it."""


@dataclass(frozen=True)
class ServerProgram:
    """One server. Its checkout has only files with these endings, so no settings that load code."""

    name: str
    arguments: tuple[str, ...]
    languages: frozenset[str]
    endings: tuple[str, ...]


TY = ServerProgram("ty", ("server",), frozenset((PYTHON.name,)), MODULE_ENDS)
TSC = ServerProgram(
    "tsc",
    ("--lsp", "--stdio"),
    frozenset((TYPESCRIPT.name, JAVASCRIPT.name)),
    (
        *(f".{ending}" for language in (TYPESCRIPT, JAVASCRIPT) for ending in language.endings),
        *("tsconfig.json", "tsconfig.base.json", "jsconfig.json", "package.json"),
    ),
)
# Without it TypeScript reads only the opened file.
DEFAULT_FILES = {"tsconfig.json": b'{"compilerOptions": {"allowJs": true}}'}


def find_servers(
    *, reviewed_folder: Path | None, programs: Mapping[str, Path] | None = None
) -> dict[ServerProgram, Path | None]:
    """Return named or installed servers (None: missing), never a program of the reviewed repository."""
    named = programs or {}
    return {
        server: find_executable(str(named.get(server.name, server.name)), reviewed_folder=reviewed_folder)
        for server in (TY, TSC)
    }


def encode_message(message: Message) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def read_message(stream: BinaryIO) -> Message:
    """Read the next message; raise ServerError at the end of the stream or for garbage."""
    try:
        length = int(parse_headers(stream)["Content-Length"])
        message = json.loads(stream.read(max(0, min(length, MAX_BODY_BYTES))))
    except (HTTPException, OSError, RecursionError, TypeError, ValueError) as error:
        raise ServerError("it ended, took too long or sent garbage") from error
    if not isinstance(message, dict):
        raise ServerError("it sent a message that is not an object")
    return message


class RunningServer:
    """A server on a checkout of a tree."""

    def __init__(self, process: subprocess.Popen[bytes], tree: Tree, checkout: Path) -> None:
        self._process = process
        self._tree = tree
        self._checkout = checkout
        self._opened: set[str] = set()
        self._number = 0

    def kill(self) -> None:
        """End the process and its children, and with them every read and write."""
        with suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def places(self, kind: str, path: str, line: int, name: str) -> set[Place]:
        """Return the references to the name in a line, or its definition; leave out places elsewhere."""
        if not self._number:
            folder = {"uri": self._checkout.as_uri(), "name": "checkout"}
            self._request("initialize", rootUri=folder["uri"], workspaceFolders=[folder], capabilities={})
            self._send("initialized")
        position = self._position_of(path, line, name)
        context = {"includeDeclaration": False}
        answer = self._request(f"textDocument/{kind}", **position, context=context) if position else []
        places = set()
        for row in answer if isinstance(answer, list) else [answer]:
            with suppress(AttributeError, KeyError, TypeError, ValueError):
                file = Path(unquote(urlparse(row["uri"]).path)).relative_to(self._checkout)
                places.add((file.as_posix(), row["range"]["start"]["line"] + 1))
        return places

    def _position_of(self, path: str, line: int, name: str) -> Message:
        """Open the file and return where it has the name in a line; return nothing if it does not."""
        lines = self._tree.lines(path) or []
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        if found is None:
            return {}
        uri = (self._checkout / path).as_uri()
        if uri not in self._opened:
            self._opened.add(uri)
            language = language_of(path) + ("react" if path.endswith((".jsx", ".tsx")) else "")
            document = {"uri": uri, "languageId": language, "version": 1, "text": "\n".join(lines) + "\n"}
            self._send("textDocument/didOpen", textDocument=document)
        # The protocol counts in units of UTF-16.
        column = len(text[: found.start()].encode("utf-16-le")) // 2
        return {"textDocument": {"uri": uri}, "position": {"line": line - 1, "character": column}}

    def _request(self, method: str, **parameters: Any) -> Any:
        """Send a request and return its result; an error counts as an empty answer."""
        self._number += 1
        self._send(method, self._number, **parameters)
        while True:
            message = read_message(self._process.stdout)  # type: ignore[arg-type]  # it is a pipe
            if "method" not in message and message.get("id") == self._number:
                return message.get("result")
            if "method" in message and "id" in message:
                self._write({"id": message["id"], "error": {"code": -32601, "message": "not supported"}})

    def _send(self, method: str, number: int | None = None, **parameters: Any) -> None:
        self._write({"method": method, "params": parameters} | ({"id": number} if number else {}))

    def _write(self, message: Message) -> None:
        stream: Any = self._process.stdin
        stream.write(encode_message({"jsonrpc": "2.0", **message}))
        stream.flush()


@contextmanager
def _running(
    server: ServerProgram, program: Path | None, tree: Tree, limits: Limits, walls: Walls
) -> Iterator[RunningServer]:
    if program is None:
        raise ServerError("it is not installed")
    with temporary_folder("server-") as folder:
        checkout, scratch = folder / "checkout", folder / "scratch"
        checkout.mkdir()
        missing = {path: text for path, text in DEFAULT_FILES.items() if tree.entry(path) is None}
        write_tree_to(tree, checkout, wanted=lambda path: path.endswith(server.endings), overrides=missing)
        guarded = walls([str(program), *server.arguments], checkout, scratch, limits)
        if guarded is None:
            raise ServerError("this system has no sandbox for it")
        pipe, environment = subprocess.PIPE, isolated_environment(scratch)
        process = subprocess.Popen(
            guarded,
            cwd=checkout,
            env=environment,
            stdin=pipe,
            stdout=pipe,
            start_new_session=True,
            stderr=subprocess.DEVNULL,
        )
        running = RunningServer(process, tree, checkout)
        try:
            yield running
        finally:
            running.kill()
            # Closing its input may flush to a dead process.
            with suppress(OSError), process:
                pass


class ServerPool(Closing):
    """Start servers on first use, drop those that fail, and end them on close. Safe for several threads."""

    def __init__(
        self, servers: Mapping[ServerProgram, Path | None], *, limits: Limits = LIMITS, walls: Walls = walled
    ) -> None:
        self._programs = dict(servers)
        self._limits = limits
        self._walls = walls
        self._started: dict[tuple[ServerProgram, str], RunningServer] = {}
        self._asking = threading.Lock()
        self._closing = ExitStack()
        self._ending = weakref.finalize(self, self._closing.close)

    def close(self) -> None:
        """End the servers and delete their checkouts."""
        self._programs.clear()
        self._ending()

    def confirm(
        self, references: Sequence[Reference], symbols: Sequence[Symbol], tree: Tree
    ) -> tuple[list[Reference], list[str]]:
        """Return the references, those that servers name as certain, and why a server could not help."""
        found, said = list(references), []
        for server in list(self._programs):
            asked = [one for one in symbols if one.language in server.languages][:MAX_SYMBOLS]
            if not asked:
                continue
            try:
                with self._asked(server, tree) as running:
                    known = {
                        (one.path, one.qualified, *place)
                        for one in asked
                        for place in running.places("references", one.path, one.line, one.name)
                    }
            except ServerError as error:
                said.append(f"{server.name} could not make the references more precise: {error}")
                continue
            for at, one in enumerate(found):
                if (one.definition, one.symbol, one.path, one.line) in known:
                    how = f"{one.verification_method}; {server.name} resolves it to the definition"
                    found[at] = one.model_copy(update={"certainty": "certain", "verification_method": how})
        return found, said

    def resolve(self, tree: Tree, path: str, line: int, name: str) -> tuple[frozenset[Place], str]:
        """Return where the name in a line is defined, and the name of the server."""
        for server in [one for one in self._programs if language_of(path) in one.languages]:
            with suppress(ServerError), self._asked(server, tree) as running:
                return frozenset(running.places("definition", path, line, name)), server.name
        return frozenset(), ""

    @contextmanager
    def _asked(self, server: ServerProgram, tree: Tree) -> Iterator[RunningServer]:
        """Start the server unless it runs, and kill it at the time limit; drop it if it fails."""
        with self._asking:
            key = (server, tree.revision)
            try:
                if key not in self._started:
                    program = self._programs[server]
                    opening = _running(server, program, tree, self._limits, self._walls)
                    self._started[key] = self._closing.enter_context(opening)
                guard = threading.Timer(self._limits.timeout_seconds, self._started[key].kill)
                guard.start()
                try:
                    yield self._started[key]
                finally:
                    guard.cancel()
            except (OSError, ServerError) as error:
                self._programs.pop(server, None)
                raise ServerError(str(error)) from error
