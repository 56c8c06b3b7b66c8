"""Who mentions the names of these symbols: one search over a tree, made surer by the import graph.

A text search finds too much rather than too little. It is what stands where no syntax tree and no language
server says more.
"""

import re
from collections.abc import Sequence

from affidavit.code.survey import Imports
from affidavit.errors import GitError, InputError
from affidavit.ports import Tree
from affidavit.records.context import Certainty, Import, Reference, Symbol
from affidavit.records.evidence import SearchHit

MAX_HITS = 3000
MAX_HITS_OF_NAME = 400
MAX_NAMES = 200
SHORTEST_NAME = 3
_WORD = re.compile(r"[^\W\d]\w*")
_HANDS_ON = re.compile(r"(?:^|/)(?:__init__\.pyi?|index\.\w+|mod\.rs|lib\.rs)$")
_IMPORTS = re.compile(r"\s*(?:from|import|use|using|include|require|#\s*include|export)\b")


def find_mentions(
    symbols: Sequence[Symbol], tree: Tree, imports: Imports
) -> tuple[list[Reference], list[str]]:
    """The places that name one of the symbols, outside its own definition."""
    by_name: dict[str, list[Symbol]] = {}
    for symbol in symbols:
        if _WORD.fullmatch(symbol.name) and len(symbol.name) >= SHORTEST_NAME:
            by_name.setdefault(symbol.name, []).append(symbol)
    left_out = [f"names shorter than {SHORTEST_NAME} letters were not searched for"] * any(
        len(symbol.name) < SHORTEST_NAME for symbol in symbols
    )
    names = list(by_name)[:MAX_NAMES]
    if len(by_name) > MAX_NAMES:
        left_out.append(f"uses of {len(by_name) - MAX_NAMES} more changed names were not searched for")
    hits, cut = _search(names, tree)
    mentions = _Mentions(by_name, imports)
    return [reference for hit in hits for reference in mentions.of(hit)], [*left_out, *cut]


def _search(names: Sequence[str], tree: Tree) -> tuple[list[SearchHit], list[str]]:
    if not names:
        return [], []
    pattern = rf"\b(?:{'|'.join(names)})\b"
    try:
        hits = tree.search(pattern, max_hits=MAX_HITS)
    except (InputError, GitError) as error:
        return [], [f"uses of the changed names could not be searched for: {error}"]
    cut = f"only the first {MAX_HITS} lines that mention a changed name were looked at"
    return hits, [cut] * (len(hits) >= MAX_HITS)


class _Mentions:
    """Judges each hit by what its file imports."""

    def __init__(self, by_name: dict[str, list[Symbol]], imports: Imports) -> None:
        self._by_name = by_name
        self._imports = imports
        self._seen: dict[str, int] = {}
        self._importing: dict[str, dict[str, list[Import]]] = {}

    def of(self, hit: SearchHit) -> list[Reference]:
        found = []
        for name in dict.fromkeys(_WORD.findall(hit.text)):
            for symbol in self._by_name.get(name, ()):
                reference = self._reference(symbol, hit)
                if reference is not None:
                    found.append(reference)
        return found

    def _reference(self, symbol: Symbol, hit: SearchHit) -> Reference | None:
        if hit.path == symbol.path and symbol.line <= hit.line <= symbol.end_line:
            return None
        self._seen[symbol.qualified] = self._seen.get(symbol.qualified, 0) + 1
        if self._seen[symbol.qualified] > MAX_HITS_OF_NAME:
            return None
        certainty, why = self._certainty(symbol, hit.path)
        if "." in symbol.qualified and not re.search(rf"(?:\.|->|::)\s*{symbol.name}\b", hit.text):
            certainty, why = "possible", "it is not reached through an object or a class there"
        is_call = re.search(rf"\b{re.escape(symbol.name)}\s*\(", hit.text) is not None
        return Reference(
            symbol=symbol.qualified,
            path=hit.path,
            line=hit.line,
            text=hit.text.strip(),
            kind="import" if _IMPORTS.match(hit.text) else "call" if is_call else "name",
            verification_method=f"searched for the word {symbol.name}; {why}",
            certainty=certainty,
        )

    def _certainty(self, symbol: Symbol, path: str) -> tuple[Certainty, str]:
        if path == symbol.path:
            return "likely", "it stands in the same file"
        statements = self._importers(symbol.path).get(path, [])
        if any(symbol.name in one.names for one in statements):
            return "certain", f"the file imports it from {statements[0].target or statements[0].name}"
        if statements:
            return "likely", f"the file imports {statements[0].target or statements[0].name}"
        return "possible", f"the file does not import {symbol.path}"

    def _importers(self, target: str) -> dict[str, list[Import]]:
        """Who imports a file, directly or through the package that hands it on."""
        if target not in self._importing:
            direct = list(self._imports.importers_of(target))
            packages = {one.path for one in direct if _HANDS_ON.search(one.path)}
            through = [one for package in sorted(packages) for one in self._imports.importers_of(package)]
            importers: dict[str, list[Import]] = {}
            for one in (*direct, *through):
                importers.setdefault(one.path, []).append(one)
            self._importing[target] = importers
        return self._importing[target]
