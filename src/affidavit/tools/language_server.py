"""Ask language servers in the sandbox who uses a symbol, where a name is defined and what type it has."""

import json
import os
import re
import signal
import subprocess
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlparse

from affidavit.analysers.execution import Limits, Walls, find_executable, isolated_environment, walled
from affidavit.errors import SettingsError
from affidavit.git.checkout import write_tree_to
from affidavit.languages.javascript import JAVASCRIPT, TYPESCRIPT
from affidavit.languages.python import PYTHON
from affidavit.languages.python_modules import MODULE_ENDS
from affidavit.languages.registry import language_of
from affidavit.ports import Tree
from affidavit.records.context import Reference, Symbol
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.readers import Resolution
from affidavit.system.temporary import Closing, temporary_folder

JAVASCRIPT_ENDS = tuple(f".{ending}" for language in (TYPESCRIPT, JAVASCRIPT) for ending in language.endings)
MAX_HEADER_BYTES = 4096
MAX_BODY_BYTES = 32_000_000
END_SECONDS = 2.0
MAX_ASKED = 6
PAUSE_SECONDS = 0.3
MAX_TYPE = 2000
MAX_FILES = 20_000
MAX_SYMBOLS = 50
LIMITS = Limits(timeout_seconds=20.0)
LENGTH = b"content-length:"

Message = dict[str, Any]
Place = tuple[str, int]
"""Path and line."""


class ServerError(Exception):
    """The server is dead, late or broken. Callers continue without it."""


@dataclass(frozen=True)
class ServerProgram:
    """One server. Its checkout holds only files with these endings or names."""

    name: str
    arguments: tuple[str, ...]
    languages: frozenset[str]
    endings: tuple[str, ...]
    file_names: frozenset[str] = frozenset()
    default_files: tuple[tuple[str, bytes], ...] = ()
    """Files to add if the tree lacks them."""

    def reads(self, path: str) -> bool:
        """Check whether a file belongs in the checkout; settings that may load code do not."""
        return path.endswith(self.endings) or path.rpartition("/")[2] in self.file_names


TY = ServerProgram("ty", ("server",), frozenset((PYTHON.name,)), MODULE_ENDS)
TSC = ServerProgram(
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
) -> dict[ServerProgram, Path]:
    """Return the installed servers: the ones the user names, else those beside the interpreter or on PATH.

    Never return a program of the reviewed repository. Raise SettingsError if a named one cannot be used.
    """
    named = programs or {}
    found: dict[ServerProgram, Path] = {}
    for server in SERVERS:
        asked = str(named.get(server.name, server.name))
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
    length, seen = "", 0
    while (line := stream.readline(MAX_HEADER_BYTES + 1)) != b"\r\n":
        seen += len(line)
        if not line:
            return None
        if seen > MAX_HEADER_BYTES:
            raise ServerError("a header without an end")
        if line.lower().startswith(LENGTH):
            length = line[len(LENGTH) :].decode("ascii", "replace").strip()
    if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
        raise ServerError("a header without a length that can be right")
    body = stream.read(int(length))
    if len(body) < int(length):
        return None
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ServerError("a body that is not JSON") from error
    if not isinstance(message, dict):
        raise ServerError("a body that is not an object")
    return message


class RunningServer(Closing):
    """A server on the checkout of a tree. Closing it ends the process and its children."""

    def __init__(
        self, command: Sequence[str], tree: Tree, folder: Path, limits: Limits, walls: Walls
    ) -> None:
        self._tree = tree
        self._checkout, scratch = folder / "checkout", folder / "scratch"
        self._opened: set[str] = set()
        self._number = 0
        self._limits = limits
        guarded = walls(command, self._checkout, scratch, limits)
        if guarded is None:
            raise ServerError("this system has no sandbox for it")
        try:
            self._process = subprocess.Popen(
                guarded,
                cwd=self._checkout,
                env=isolated_environment(scratch),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerError(f"it could not be started: {error}") from error

    def close(self) -> None:
        """End the process and its children."""
        self._kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(END_SECONDS)
        for stream in (self._process.stdin, self._process.stdout):
            # Closing stdin may flush to a dead process.
            with suppress(OSError):
                if stream is not None:
                    stream.close()

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    @contextmanager
    def in_time(self) -> Iterator[None]:
        """Kill the server at the time limit, which ends every read and write; raise ServerError then."""
        guard = threading.Timer(self._limits.timeout_seconds, self._kill)
        guard.daemon = True
        guard.start()
        try:
            yield
        except (OSError, ValueError) as error:
            raise ServerError("it stopped reading or took too long") from error
        finally:
            guard.cancel()

    def start(self) -> None:
        """Initialize the server."""
        folder = {"uri": self._checkout.as_uri(), "name": "checkout"}
        parameters = {
            "processId": None,
            "rootUri": folder["uri"],
            "workspaceFolders": [folder],
            "capabilities": {"textDocument": {"hover": {"contentFormat": ["plaintext"]}}},
        }
        self._request("initialize", parameters)
        self._send({"method": "initialized", "params": {}})

    def references(self, symbol: Symbol) -> set[Place]:
        """Return the places that use a symbol; ask until the answer is stable: servers index as they go."""
        position = self._position_of(symbol.path, symbol.line, symbol.name)
        previous: set[Place] | None = None
        for _ in range(MAX_ASKED if position else 0):
            asked = {**(position or {}), "context": {"includeDeclaration": False}}
            answer = self._places(self._request("textDocument/references", asked))
            if answer == previous:
                break
            previous = answer
            time.sleep(PAUSE_SECONDS)
        return previous or set()

    def resolve(self, path: str, line: int, name: str) -> tuple[set[Place], str]:
        """Return where the name in a line is defined and its type; both are empty if unknown."""
        position = self._position_of(path, line, name)
        if position is None:
            return set(), ""
        places = self._places(self._request("textDocument/definition", position))
        answer = self._request("textDocument/hover", position)
        contents = answer.get("contents") if isinstance(answer, dict) else None
        text = contents.get("value") if isinstance(contents, dict) else contents
        return places, text[:MAX_TYPE] if isinstance(text, str) else ""

    def _position_of(self, path: str, line: int, name: str) -> Message | None:
        """Open the file and return where it has the name in a line."""
        lines = self._tree.lines(path) or []
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        if found is None or not (self._checkout / path).is_file():
            return None
        uri = (self._checkout / path).as_uri()
        if uri not in self._opened:
            self._opened.add(uri)
            language = language_of(path) + ("react" if path.endswith((".jsx", ".tsx")) else "")
            document = {"uri": uri, "languageId": language, "version": 1, "text": "\n".join(lines) + "\n"}
            self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        # The protocol counts in units of UTF-16.
        column = len(text[: found.start()].encode("utf-16-le")) // 2
        return {"textDocument": {"uri": uri}, "position": {"line": line - 1, "character": column}}

    def _places(self, answer: Any) -> set[Place]:
        """Read locations; skip those that are malformed or outside the checkout."""
        places = set()
        for row in answer if isinstance(answer, list) else [answer]:
            try:
                file = Path(unquote(urlparse(row.get("uri") or row["targetUri"]).path))
                line = (row.get("range") or row["targetSelectionRange"])["start"]["line"]
                places.add((file.relative_to(self._checkout).as_posix(), int(line) + 1))
            except (AttributeError, KeyError, TypeError, ValueError):
                continue
        return places

    def _request(self, method: str, parameters: Message) -> Any:
        """Send a request and return its result; an error counts as an empty answer."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": parameters})
        stream: Any = self._process.stdout
        while message := read_message(stream):
            if "method" in message and "id" in message:
                self._send({"id": message["id"], **_answer_to(message)})
            elif message.get("id") == self._number:
                return message.get("result")
        raise ServerError("it ended or took too long")

    def _send(self, message: Message) -> None:
        stream: Any = self._process.stdin
        stream.write(encode_message({"jsonrpc": "2.0", **message}))
        stream.flush()


def _answer_to(message: Message) -> Message:
    """Answer the server: no settings, progress allowed, everything else unsupported."""
    method, parameters = message["method"], message.get("params")
    items = parameters.get("items") if isinstance(parameters, dict) else None
    if method == "workspace/configuration":
        return {"result": [None] * (len(items) if isinstance(items, list) else 0)}
    if method in ("client/registerCapability", "window/workDoneProgress/create"):
        return {"result": None}
    return {"error": {"code": -32601, "message": "not supported"}}


class ServerPool(Closing):
    """Start servers on first use and drop those that fail. Safe for several threads.

    Closing or collecting the pool ends the servers and deletes their checkouts.
    """

    def __init__(
        self,
        servers: Mapping[ServerProgram, Path],
        *,
        wanted: Sequence[ServerProgram] = (),
        limits: Limits = LIMITS,
        walls: Walls = walled,
    ) -> None:
        self._programs = dict(servers)
        self._missing = [server for server in wanted if server not in servers]
        self._limits = limits
        self._walls = walls
        self._running: dict[tuple[ServerProgram, str], RunningServer] = {}
        self._asking = threading.Lock()
        self._closing = ExitStack()
        self._ending = weakref.finalize(self, self._closing.close)

    def close(self) -> None:
        """End the servers."""
        self._programs.clear()
        self._ending()

    def confirm(
        self, references: Sequence[Reference], symbols: Sequence[Symbol], tree: Tree
    ) -> tuple[list[Reference], list[str]]:
        """Return the references with those that servers name as certain, and why a server could not help.

        References that a server does not name stay as they are.
        """
        found = list(references)
        with self._asking:
            said = self._say_missing(symbols)
            for server in list(self._programs):
                mine = [one for one in symbols if one.language in server.languages][:MAX_SYMBOLS]
                asked = [one for one in mine if _is_defined(one, tree)]
                try:
                    known = self._references(server, asked, tree) if asked else {}
                except ServerError as error:
                    del self._programs[server]
                    said.append(f"{server.name} could not make the references more precise: {error}")
                else:
                    found = _joined(found, known, tree, server.name)
        return found, said

    def resolve(self, tree: Tree, path: str, line: int, name: str) -> Resolution | None:
        """Return where the name in a line is defined and its type; None if no server knows."""
        with self._asking:
            server = next((one for one in self._programs if language_of(path) in one.languages), None)
            if server is None:
                return None
            try:
                running = self._started(server, tree)
                with running.in_time():
                    places, type_name = running.resolve(path, line, name)
            except ServerError:
                del self._programs[server]
                return None
        return Resolution(frozenset(places), type_name, server.name) if places or type_name else None

    def _say_missing(self, symbols: Sequence[Symbol]) -> list[str]:
        """Name each missing server once, when a symbol needs it."""
        languages = {symbol.language for symbol in symbols}
        lacking = [server for server in self._missing if server.languages & languages]
        self._missing = [server for server in self._missing if server not in lacking]
        return [
            f"{server.name} is not installed, so references in {' and '.join(sorted(server.languages))} "
            "are no more precise than without language servers"
            for server in lacking
        ]

    def _references(
        self, server: ServerProgram, symbols: Sequence[Symbol], tree: Tree
    ) -> dict[tuple[str, str], set[Place]]:
        """Return the uses of definitions, by file and qualified name."""
        running = self._started(server, tree)
        known: dict[tuple[str, str], set[Place]] = {}
        with running.in_time():
            for symbol in symbols:
                known.setdefault((symbol.path, symbol.qualified), set()).update(running.references(symbol))
        return known

    def _started(self, server: ServerProgram, tree: Tree) -> RunningServer:
        key = (server, tree.revision)
        if key not in self._running:
            count = sum(server.reads(path) for path in tree.entries())
            if count > MAX_FILES:
                raise ServerError(f"{count} files are too many for it")
            folder = self._closing.enter_context(temporary_folder("server-"))
            (folder / "checkout").mkdir()
            missing = {path: text for path, text in server.default_files if tree.entry(path) is None}
            write_tree_to(tree, folder / "checkout", wanted=server.reads, overrides=missing)
            command = [str(self._programs[server]), *server.arguments]
            running = RunningServer(command, tree, folder, self._limits, self._walls)
            self._closing.enter_context(running)
            with running.in_time():
                running.start()
            self._running[key] = running
        return self._running[key]


def _is_defined(symbol: Symbol, tree: Tree) -> bool:
    return any(
        (one.qualified, one.line) == (symbol.qualified, symbol.line) for one in symbols_of(tree, symbol.path)
    )


def _joined(
    references: Sequence[Reference], known: Mapping[tuple[str, str], set[Place]], tree: Tree, server: str
) -> list[Reference]:
    """Mark the references that a server knows as certain, and add those that the search did not see."""
    method = f"{server} resolves it to the definition"
    new = {(*defined, *place) for defined, places in known.items() for place in places}
    found = []
    for one in references:
        key = (one.definition, one.symbol, one.path, one.line)
        how = f"{one.verification_method}; {method}"
        surer = {"certainty": "certain", "verification_method": how} if key in new else {}
        found.append(one.model_copy(update=surer))
    new -= {(one.definition, one.symbol, one.path, one.line) for one in references}
    for definition, symbol, path, line in sorted(new):
        lines = tree.lines(path) or []
        if 0 < line <= len(lines):
            found.append(
                Reference(
                    symbol=symbol,
                    definition=definition,
                    path=path,
                    line=line,
                    text=lines[line - 1].strip(),
                    kind="name",
                    verification_method=method,
                    certainty="certain",
                )
            )
    return found
