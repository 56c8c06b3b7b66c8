"""Find documents that name removed definitions as code."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from affidavit.analysers.references.ground import Break, ReferenceLookup
from affidavit.languages.registry import grammar_of, language_of
from affidavit.records.context import Symbol
from affidavit.records.evidence import SearchHit

RULE = "references/stale-document"
DOCUMENT_LANGUAGES = frozenset(("markdown", "restructuredtext", "text"))
# Documents about the past, when the name existed.
PAST_PATH = re.compile(
    r"change|release|history|news|upgrad|migrat|deprecat|remov|whats|version|blog|archive|rfc|proposal|decision"
    r"|adr|todo|roadmap|design|plan|internals|licen[cs]e|authors|requirements|\b\d+\.\d+",
    re.IGNORECASE,
)
PAST_TEXT = re.compile(
    r"remov|deprecat|renam|former|previous|no longer|replaced|was |used to|old |legacy|instead|since|version"
    r"|until|\badded\b|introduced",
    re.IGNORECASE,
)
MAX_HITS = 100
MAX_MODULES = 50
# `pkg.shapes.area`, `from pkg.shapes import area`
QUALIFIED = r"(?<![\w.])(?:\w+\.)*{}(?:\.|\s+import\s(?:[\w\s,(]*[\s,(])?)(?:{{}})(?!\w)"


class _Named(NamedTuple):
    """A line of a document, and the definition that it names."""

    hit: SearchHit
    path: str
    qualified: str
    is_with_module: bool = False


def find_stale_documents(ground: ReferenceLookup) -> Iterator[Break]:
    """Yield the first line of each document that names a removed definition."""
    written = _written_lines(ground)
    named = [*_named_alone(ground), *_named_with_module(ground)]
    seen: set[tuple[str, str]] = set()
    for one in sorted(named, key=lambda one: (one.hit.path, one.hit.line)):
        name = one.qualified.rpartition(".")[2]
        # A line that this change adds is about the removal.
        if (one.hit.path, one.hit.line) not in written and (one.hit.path, name) not in seen:
            seen.add((one.hit.path, name))
            who = f"`{one.path}` does not have" if one.is_with_module else "no code has"
            message = f"`{name}` is named here, and {who} it any more"
            yield Break(RULE, one.hit.path, one.hit.line, message, ground.cause(one.path, one.qualified))


def _written_lines(ground: ReferenceLookup) -> set[tuple[str, int]]:
    return {
        (file.path, number)
        for file in ground.change.files
        for hunk in file.hunks
        for mark, _, number, _ in hunk.numbered()
        if mark == "+" and number is not None
    }


def _named_alone(ground: ReferenceLookup) -> Iterator[_Named]:
    """Yield lines that name a definition that no code has any more."""
    shown = {old.name: old for old in ground.gone if _is_public(old)}
    for name, old in sorted(shown.items()):
        hits = ground.distinctive_hits.get(name, [])
        if len(hits) > MAX_HITS or any(not _is_document(hit.path) for hit in hits):
            continue
        yield from (
            _Named(hit, old.path, old.qualified)
            for hit in hits
            if _names_as_code(hit, name) and _knows_the_owner(ground, old, hit)
        )


def _named_with_module(ground: ReferenceLookup) -> Iterator[_Named]:
    """Yield uses of Python names with their module, since other modules may have the same name."""
    for path, names in list(ground.lost_names.items())[:MAX_MODULES]:
        public = [name for name in names if not name.startswith("_")]
        module = _module(path)
        if not public or not module or "test" in path.lower():
            continue
        pattern = QUALIFIED.format(re.escape(module))
        for hit in ground.search(public, pattern):
            found = re.search(pattern.format("|".join(map(re.escape, public))), hit.text)
            if found and _is_document(hit.path) and not _tells_of_the_past(hit):
                yield _Named(hit, path, re.split(r"[\s.,(]+", found[0])[-1], is_with_module=True)


def _module(path: str) -> str:
    """Return a module name's end that is unambiguous; empty outside of Python."""
    if not path.endswith(".py"):
        return ""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    return ".".join(parts[-2:]) if all(part.isidentifier() for part in parts[-2:]) else ""


def _is_public(symbol: Symbol) -> bool:
    is_private = any(part.startswith(("_", "#")) for part in symbol.qualified.split("."))
    is_test = "test" in symbol.path.lower()
    return not is_private and not is_test and symbol.kind != "module"


def _knows_the_owner(ground: ReferenceLookup, old: Symbol, hit: SearchHit) -> bool:
    """Check whether a method of that name may be a library's: the document does not name its class."""
    owner = old.qualified.rpartition(".")[0].rpartition(".")[2]
    lines: Sequence[str] = ground.repository.head.lines(hit.path) or ()
    return not owner or any(re.search(rf"(?<!\w){re.escape(owner)}(?!\w)", line) for line in lines)


def _is_document(path: str) -> bool:
    return language_of(path) in DOCUMENT_LANGUAGES and grammar_of(path) is None


def _tells_of_the_past(hit: SearchHit) -> bool:
    return PAST_PATH.search(hit.path) is not None or PAST_TEXT.search(hit.text) is not None


def _names_as_code(hit: SearchHit, name: str) -> bool:
    if _tells_of_the_past(hit):
        return False
    quoted = re.escape(name)
    return re.search(rf"`[^`]*\b{quoted}\b[^`]*`|\b{quoted}\s*\(|\.{quoted}\b", hit.text) is not None
