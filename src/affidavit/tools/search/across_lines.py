"""Search for what may stand across line ends: a pattern and a tree in, the lines of each match out."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import re2

from affidavit.errors import InputError
from affidavit.git.search.glob import matches_any
from affidavit.git.text import is_binary
from affidavit.git.tree import REGULAR_MODES, read_all
from affidavit.ports import Tree
from affidavit.records.evidence import SearchHit
from affidavit.redaction.linear import Pattern, compile_linear
from affidavit.tools.excerpts import clipped

MAX_READ_BYTES = 100_000_000
MAX_HITS = 2_000
MAX_MATCH_LINES = 20
MAX_PATTERN = 10_000
FILES_AT_ONCE = 200


def search_across_lines(
    tree: Tree,
    pattern: str,
    places: Sequence[str],
    counts: Callable[[str], bool],
    *,
    is_literal: bool,
    is_word: bool,
) -> tuple[list[SearchHit], str]:
    """The lines of each match, in the order of the tree; and what was not read, in a sentence.

    Bounds count bytes and not seconds, so that the same question always has the same answer.
    """
    compiled = _compiled(pattern, is_literal=is_literal, is_word=is_word)
    wanted = [
        path
        for path, entry in tree.entries().items()
        if entry.mode in REGULAR_MODES and _is_within(path, places)
    ]
    read = 0
    hits: list[SearchHit] = []
    for path, content in _contents(tree, wanted):
        read += len(content)
        if read > MAX_READ_BYTES:
            return hits, f"stopped before {path}: a search across lines reads {MAX_READ_BYTES // 10**6} MB"
        if (
            not is_binary(content, path)
            and (found := list(_matches(compiled, path, content)))
            and counts(path)
        ):
            hits += found
        if len(hits) >= MAX_HITS:
            return hits[:MAX_HITS], f"stopped in {path} after {MAX_HITS} lines"
    return hits, ""


def _compiled(pattern: str, *, is_literal: bool, is_word: bool) -> Pattern:
    if not pattern or "\0" in pattern or len(pattern) > MAX_PATTERN:
        raise InputError(f"a search pattern has 1 to {MAX_PATTERN} characters and no zero bytes")
    written = re2.escape(pattern) if is_literal else pattern
    try:
        return compile_linear(rf"(?m)\b(?:{written})\b" if is_word else f"(?m){written}")
    except re2.error as error:
        raise InputError(
            f"the pattern {pattern!r} cannot be searched for across lines: {error}; look-around and "
            "back-references work only without multiline"
        ) from error


def _is_within(path: str, places: Sequence[str]) -> bool:
    return not places or any(
        place in (".", path) or path.startswith(f"{place}/") or matches_any(path, [place]) for place in places
    )


def _contents(tree: Tree, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """File by file in the order of the paths, some at a time."""
    waiting = iter(paths)
    while part := list(islice(waiting, FILES_AT_ONCE)):
        found = dict(read_all(tree, part))
        yield from ((path, found[path]) for path in part if path in found)


def _matches(compiled: Pattern, path: str, content: bytes) -> Iterator[SearchHit]:
    """Each line of each match once; of a match that is very long, its first lines."""
    if compiled.search(content) is None:
        return
    lines = content.split(b"\n")
    starts = [0, *(found.end() for found in re.finditer(rb"\n", content))]
    at, shown = 0, 0
    for found in compiled.finditer(content):
        first, last = found.span()
        while at + 1 < len(starts) and starts[at + 1] <= first:
            at += 1
        end = at
        while end + 1 < len(starts) and starts[end + 1] < last and end < at + MAX_MATCH_LINES - 1:
            end += 1
        for number in range(max(at, shown), end + 1):
            text = lines[number].decode("utf-8", "replace").removesuffix("\r")
            yield SearchHit(path=path, line=number + 1, text=clipped(text))
        shown = max(shown, end + 1)
