"""Documents that still name, as code, what is gone from all code."""

import re
from collections.abc import Iterator

from affidavit.code.definitions import grammar_of
from affidavit.code.languages import language_of
from affidavit.records.context import Symbol
from affidavit.records.evidence import SearchHit
from affidavit.specialists.broken_references.ground import Break, Ground, is_telling

RULE = "references/stale-document"
DOCUMENT_LANGUAGES = frozenset(("markdown", "restructuredtext", "text"))
# These tell of the past, and the past had the name.
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


def find_stale_documents(ground: Ground) -> Iterator[Break]:
    """The first line of each document that names a removed definition."""
    shown = {old.name: old for old in ground.gone if _is_public(old)}
    by_name = {name: ground.telling_hits[name] for name in shown}
    for name, hits in sorted(by_name.items()):
        if len(hits) > MAX_HITS or any(not _is_document(hit.path) for hit in hits):
            continue
        told = {hit.path: hit for hit in reversed(hits) if _names_as_code(hit, name)}
        for path, hit in sorted(told.items()):
            message = f"`{name}` is named here, and no code has it any more"
            cause = ground.cause(shown[name].path, shown[name].qualified)
            yield Break(RULE, path, hit.line, message, cause)


def _is_public(symbol: Symbol) -> bool:
    is_private = any(part.startswith(("_", "#")) for part in symbol.qualified.split("."))
    is_test = "test" in symbol.path.lower()
    return is_telling(symbol.name) and not is_private and not is_test and symbol.kind != "module"


def _is_document(path: str) -> bool:
    return language_of(path) in DOCUMENT_LANGUAGES and grammar_of(path) is None


def _names_as_code(hit: SearchHit, name: str) -> bool:
    if PAST_PATH.search(hit.path) or PAST_TEXT.search(hit.text):
        return False
    quoted = re.escape(name)
    return re.search(rf"`[^`]*\b{quoted}\b[^`]*`|\b{quoted}\s*\(|\.{quoted}\b", hit.text) is not None
