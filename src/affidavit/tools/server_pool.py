"""Ask language servers who uses a symbol, where a name is defined and what type it has."""

import re
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from affidavit.analysers.execution import Limits, Walls, walled
from affidavit.git.checkout import write_tree_to
from affidavit.languages.registry import language_of
from affidavit.ports import Tree
from affidavit.records.context import Reference, Symbol
from affidavit.symbols.definitions import symbols_of
from affidavit.symbols.readers import Resolution
from affidavit.system.temporary import Closing, temporary_folder
from affidavit.tools.language_server import Server, ServerError, Session

MAX_ASKED = 6
PAUSE_SECONDS = 0.3
MAX_TYPE = 2000

Place = tuple[str, int]
"""Path and line."""


@dataclass
class Workplace:
    """A server with the checkout of a tree."""

    server: Server
    session: Session
    checkout: Path
    tree: Tree
    opened: set[str] = field(default_factory=set)

    def references(self, symbol: Symbol) -> set[Place]:
        """Return the places that use a symbol; ask until the answer is stable: servers index as they go."""
        position = self._position_of(symbol.path, symbol.line, symbol.name)
        if position is None:
            return set()
        asked = {**position, "context": {"includeDeclaration": False}}
        previous: set[Place] | None = None
        for _ in range(MAX_ASKED):
            answer = self._places(self.session.request("textDocument/references", asked))
            if answer == previous:
                break
            previous = answer
            time.sleep(min(PAUSE_SECONDS, max(self.session.seconds_left, 0)))
        return previous or set()

    def definitions(self, path: str, line: int, name: str) -> set[Place]:
        """Return where the name in a line is defined."""
        position = self._position_of(path, line, name)
        return (
            set()
            if position is None
            else self._places(self.session.request("textDocument/definition", position))
        )

    def type_of(self, path: str, line: int, name: str) -> str:
        """Return the type of the name in a line, or an empty string."""
        position = self._position_of(path, line, name)
        answer = None if position is None else self.session.request("textDocument/hover", position)
        contents = answer.get("contents") if isinstance(answer, dict) else None
        text = contents.get("value") if isinstance(contents, dict) else contents
        return text[:MAX_TYPE] if isinstance(text, str) else ""

    def _position_of(self, path: str, line: int, name: str) -> dict[str, Any] | None:
        lines = self.tree.lines(path) or []
        text = lines[line - 1] if 0 < line <= len(lines) else ""
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)
        if found is None or not (self.checkout / path).is_file():
            return None
        uri = (self.checkout / path).as_uri()
        self._open(uri, path, "\n".join(lines) + "\n")
        # The protocol counts in units of UTF-16.
        column = len(text[: found.start()].encode("utf-16-le")) // 2
        return {"textDocument": {"uri": uri}, "position": {"line": line - 1, "character": column}}

    def _open(self, uri: str, path: str, text: str) -> None:
        if uri in self.opened:
            return
        self.opened.add(uri)
        document = {"uri": uri, "languageId": _language_id(path), "version": 1, "text": text}
        self.session.notify("textDocument/didOpen", {"textDocument": document})

    def _places(self, answer: Any) -> set[Place]:
        rows = answer if isinstance(answer, list) else [answer]
        return {place for row in rows if (place := self._place(row)) is not None}

    def _place(self, row: Any) -> Place | None:
        """Read a location; return None if it is malformed or outside the checkout."""
        if not isinstance(row, dict):
            return None
        uri = row.get("uri") or row.get("targetUri")
        span = row.get("range") or row.get("targetSelectionRange")
        start = span.get("start") if isinstance(span, dict) else None
        line = start.get("line") if isinstance(start, dict) else None
        if not isinstance(uri, str) or not isinstance(line, int):
            return None
        file = Path(unquote(urlparse(uri).path))
        if not file.is_relative_to(self.checkout):
            return None
        return file.relative_to(self.checkout).as_posix(), line + 1


def _language_id(path: str) -> str:
    """Return the protocol's name of a file's language."""
    return language_of(path) + ("react" if path.endswith((".jsx", ".tsx")) else "")


MAX_FILES = 20_000
MAX_SYMBOLS = 50
LIMITS = Limits(timeout_seconds=20.0)
Defined = tuple[str, str]
"""A file, and the qualified name of what it defines."""


class ServerPool(Closing):
    """Start servers on first use and drop those that fail. Safe for several threads.

    Closing or collecting the pool ends the servers and deletes their checkouts.
    """

    def __init__(
        self,
        servers: Mapping[Server, Path],
        *,
        wanted: Sequence[Server] = (),
        limits: Limits = LIMITS,
        walls: Walls = walled,
    ) -> None:
        self._programs = dict(servers)
        self._missing = [server for server in wanted if server not in servers]
        self._limits = limits
        self._walls = walls
        self._workplaces: dict[tuple[Server, str], Workplace] = {}
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
        said = self._say_missing(symbols)
        if not self._programs:
            return list(references), said
        if not self._asking.acquire(timeout=self._limits.timeout_seconds):
            return list(references), ["the language servers were busy and have not been asked"]
        try:
            found, failed = self._confirm(references, symbols, tree)
        finally:
            self._asking.release()
        return found, [*said, *failed]

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

    def resolve(self, tree: Tree, path: str, line: int, name: str) -> Resolution | None:
        """Return where the name in a line is defined and its type; None if no server knows."""
        server = next((one for one in self._programs if language_of(path) in one.languages), None)
        if server is None or not self._asking.acquire(timeout=self._limits.timeout_seconds):
            return None
        try:
            workplace = self._workplace(server, tree)
            workplace.session.allow(self._limits.timeout_seconds)
            places = workplace.definitions(path, line, name)
            type_name = workplace.type_of(path, line, name)
        except ServerError:
            self._programs.pop(server, None)
            return None
        finally:
            self._asking.release()
        return Resolution(frozenset(places), type_name, server.name) if places or type_name else None

    def _confirm(
        self, references: Sequence[Reference], symbols: Sequence[Symbol], tree: Tree
    ) -> tuple[list[Reference], list[str]]:
        found, said = list(references), []
        for server in list(self._programs):
            mine = [one for one in symbols if one.language in server.languages]
            asked = [one for one in mine[:MAX_SYMBOLS] if _is_defined(one, tree)]
            if not asked:
                continue
            try:
                known = self._ask(server, asked, tree)
            except ServerError as error:
                del self._programs[server]
                said.append(f"{server.name} could not make the references more precise: {error}")
            else:
                found = _joined(found, known, tree, server.name)
        return found, said

    def _ask(self, server: Server, symbols: Sequence[Symbol], tree: Tree) -> dict[Defined, set[Place]]:
        workplace = self._workplace(server, tree)
        workplace.session.allow(self._limits.timeout_seconds)
        known: dict[Defined, set[Place]] = {}
        for symbol in symbols:
            known.setdefault((symbol.path, symbol.qualified), set()).update(workplace.references(symbol))
        return known

    def _workplace(self, server: Server, tree: Tree) -> Workplace:
        key = (server, tree.revision)
        if key not in self._workplaces:
            self._workplaces[key] = self._opened(server, tree)
        return self._workplaces[key]

    def _opened(self, server: Server, tree: Tree) -> Workplace:
        count = sum(server.reads(path) for path in tree.entries())
        if count > MAX_FILES:
            raise ServerError(f"{count} files are too many for it")
        folder = self._closing.enter_context(temporary_folder("server-"))
        checkout, scratch = folder / "checkout", folder / "scratch"
        checkout.mkdir()
        missing = {path: text for path, text in server.default_files if tree.entry(path) is None}
        write_tree_to(tree, checkout, wanted=server.reads, overrides=missing)
        command = [str(self._programs[server]), *server.arguments]
        session = self._closing.enter_context(Session(command, checkout, scratch, self._limits, self._walls))
        session.start(checkout)
        return Workplace(server, session, checkout, tree)


def _is_defined(symbol: Symbol, tree: Tree) -> bool:
    return any(
        (one.qualified, one.line) == (symbol.qualified, symbol.line) for one in symbols_of(tree, symbol.path)
    )


def _joined(
    references: Sequence[Reference], known: Mapping[Defined, set[Place]], tree: Tree, server: str
) -> list[Reference]:
    found, seen = [], set()
    for one in references:
        defined = (one.definition, one.symbol)
        seen.add((defined, one.path, one.line))
        if (one.path, one.line) in known.get(defined, ()):
            method = f"{one.verification_method}; {server} resolves it to the definition"
            found.append(one.model_copy(update={"certainty": "certain", "verification_method": method}))
        else:
            found.append(one)
    for defined, places in known.items():
        for path, line in sorted(places):
            lines = tree.lines(path) or []
            if (defined, path, line) not in seen and 0 < line <= len(lines):
                found.append(_new(defined, path, line, lines[line - 1], server))
    return found


def _new(defined: Defined, path: str, line: int, text: str, server: str) -> Reference:
    return Reference(
        symbol=defined[1],
        definition=defined[0],
        path=path,
        line=line,
        text=text.strip(),
        kind="name",
        verification_method=f"{server} resolves it to the definition",
        certainty="certain",
    )
