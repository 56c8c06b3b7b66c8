"""What one language server says of one tree: who uses a symbol, where a name is defined, its type."""

import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from affidavit.language_servers.servers import Server
from affidavit.language_servers.session import Session
from affidavit.languages.registry import language_of
from affidavit.ports import Tree
from affidavit.records.context import Symbol

MAX_ASKED = 6
PAUSE_SECONDS = 0.3
MAX_TYPE = 2000

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
        document = {"uri": uri, "languageId": _language_id(path), "version": 1, "text": text}
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


def _language_id(path: str) -> str:
    """The protocol's own word for the language of a file."""
    return language_of(path) + ("react" if path.endswith((".jsx", ".tsx")) else "")
