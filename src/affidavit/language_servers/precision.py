"""Ask a language server which references are certain, where a name is defined and what type it has."""

import re
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from affidavit.analysers.execution import Limits
from affidavit.code.checkout import write_tree_to
from affidavit.code.definitions import symbols_of
from affidavit.language_servers.servers import Server
from affidavit.language_servers.session import ServerError, Session
from affidavit.ports import Tree
from affidavit.records.context import Reference, Symbol

MAX_FILES = 20_000
MAX_SYMBOLS = 50
MAX_ASKED = 6
PAUSE_SECONDS = 0.3
MAX_TYPE = 2000
LIMITS = Limits(timeout_seconds=20.0)

Place = tuple[str, int]
"""Path and line."""


@dataclass
class Workplace:
    """A server with the checkout of a tree: what others ask it."""

    server: Server
    session: Session
    checkout: Path
    tree: Tree
    opened: set[str] = field(default_factory=set)

    def references(self, symbol: Symbol) -> set[Place]:
        """The places that use the symbol, asked until the answer stays the same: servers index as they go."""
        position = self._position(symbol)
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
        """Where the name that stands in a line is defined."""
        position = self._position_of(path, line, name)
        return (
            set()
            if position is None
            else self._places(self.session.request("textDocument/definition", position))
        )

    def type_of(self, path: str, line: int, name: str) -> str:
        """What the server says of the name that stands in a line; empty where it says nothing."""
        position = self._position_of(path, line, name)
        answer = None if position is None else self.session.request("textDocument/hover", position)
        contents = answer.get("contents") if isinstance(answer, dict) else None
        text = contents.get("value") if isinstance(contents, dict) else contents
        return text[:MAX_TYPE] if isinstance(text, str) else ""

    def _position(self, symbol: Symbol) -> dict[str, Any] | None:
        return self._position_of(symbol.path, symbol.line, symbol.name)

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
        language = "python" if path.endswith((".py", ".pyi")) else _script(path)
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.session.notify("textDocument/didOpen", {"textDocument": document})

    def _places(self, answer: Any) -> set[Place]:
        rows = answer if isinstance(answer, list) else [answer]
        return {place for row in rows if (place := self._place(row)) is not None}

    def _place(self, row: Any) -> Place | None:
        """A location of the answer; None where it is none, or lies outside of the checkout."""
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


def _script(path: str) -> str:
    if path.endswith(("x",)):
        return "typescriptreact" if path.endswith(".tsx") else "javascriptreact"
    return "typescript" if path.endswith(("ts",)) else "javascript"


def confirm_references(
    references: Sequence[Reference],
    symbols: Sequence[Symbol],
    tree: Tree,
    servers: Mapping[Server, Path],
    *,
    limits: Limits = LIMITS,
) -> tuple[list[Reference], list[str]]:
    """The references with what servers know of them: those they name are certain, and some are new.

    What a server does not name stays as it was, because its silence proves nothing. The sentences say
    which server could not help.
    """
    found, said = list(references), []
    for server, program in servers.items():
        mine = [one for one in symbols if one.language in server.languages]
        asked = [one for one in mine[:MAX_SYMBOLS] if _stands(one, tree)]
        if not asked:
            continue
        try:
            known = _ask(server, program, asked, tree, limits)
        except ServerError as error:
            said.append(f"{server.name} could not make the references more precise: {error}")
        else:
            found = _joined(found, known, tree, server.name)
    return found, said


def _stands(symbol: Symbol, tree: Tree) -> bool:
    """The tree has the definition: of what a change removed, a server of head knows nothing."""
    return any(
        (one.qualified, one.line) == (symbol.qualified, symbol.line) for one in symbols_of(tree, symbol.path)
    )


def _ask(
    server: Server, program: Path, symbols: Sequence[Symbol], tree: Tree, limits: Limits
) -> dict[str, set[Place]]:
    count = sum(server.reads(path) for path in tree.entries())
    if count > MAX_FILES:
        raise ServerError(f"{count} files are too many for it")
    with tempfile.TemporaryDirectory(prefix="affidavit-", ignore_cleanup_errors=True) as folder:
        checkout, scratch = Path(folder).resolve() / "checkout", Path(folder) / "scratch"
        checkout.mkdir()
        missing = {path: text for path, text in server.default_files if tree.entry(path) is None}
        write_tree_to(tree, checkout, wanted=server.reads, overrides=missing)
        known: dict[str, set[Place]] = {}
        with Session([str(program), *server.arguments], checkout, scratch, limits) as session:
            session.start(checkout)
            workplace = Workplace(server, session, checkout, tree)
            for symbol in symbols:
                known.setdefault(symbol.qualified, set()).update(workplace.references(symbol))
        return known


def _joined(
    references: Sequence[Reference], known: Mapping[str, set[Place]], tree: Tree, server: str
) -> list[Reference]:
    found, seen = [], set()
    for one in references:
        seen.add((one.symbol, one.path, one.line))
        if (one.path, one.line) in known.get(one.symbol, ()):
            method = f"{one.verification_method}; {server} resolves it to the definition"
            found.append(one.model_copy(update={"certainty": "certain", "verification_method": method}))
        else:
            found.append(one)
    for symbol, places in known.items():
        for path, line in sorted(places):
            lines = tree.lines(path) or []
            if (symbol, path, line) not in seen and 0 < line <= len(lines):
                found.append(_new(symbol, path, line, lines[line - 1], server))
    return found


def _new(symbol: str, path: str, line: int, text: str, server: str) -> Reference:
    return Reference(
        symbol=symbol,
        path=path,
        line=line,
        text=text.strip(),
        kind="name",
        verification_method=f"{server} resolves it to the definition",
        certainty="certain",
    )
