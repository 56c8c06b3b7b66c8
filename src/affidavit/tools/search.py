"""The tool that searches: from a pattern to the lines that match, grouped by file, and what was left out."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import re2

from affidavit.diff.skipping import MINIFIED_ENDINGS, Attributes, is_packed, is_written_elsewhere
from affidavit.errors import InputError
from affidavit.git.glob import is_glob, matches_any
from affidavit.git.grep import may_be_cut
from affidavit.git.text import is_binary
from affidavit.git.tree import REGULAR_MODES, read_all
from affidavit.ports import Tree
from affidavit.records.evidence import SearchHit
from affidavit.records.record import Side
from affidavit.redaction.linear import Pattern, compile_linear
from affidavit.symbols.references import CATALOGUES
from affidavit.tools.arguments import Answer, shown
from affidavit.tools.excerpts import (
    MAX_CONTEXT_LINES,
    MAX_SKIP,
    ChangeSides,
    checked_skip,
    clipped,
    lines_around,
    page_of,
    with_note,
)
from affidavit.tools.lookup import alternatives, side_named, standing_place

MAX_FILES_READ = 20
MANY_HITS = 20
MAX_LOOKED_AT = 300
MOST_ODD = 10
"""Of so many characters at most one is odd in a line of text."""
MAX_NAMED = 8
MAX_HITS_A_FILE = 20
TRANSLATED_ENDINGS = (*CATALOGUES, ".xlf", ".xliff", ".arb", ".qm", ".gmo")
TRANSLATED_FOLDERS = frozenset(
    ["i18n", "l10n", "lang", "langs", "languages", "lc_messages", "locale", "locales", "translations"]
)
TEXT_ENDINGS = (".json", ".json5", ".yaml", ".yml", ".properties", ".strings", ".ftl", ".toml", ".resx")
"""In a folder of translations these hold messages."""


def in_reading_order(
    hits: Sequence[SearchHit],
    tree: Tree,
    base: Tree,
    *,
    is_everywhere: bool,
    named: Sequence[str] = (),
    translated: Mapping[str, int] | None = None,
) -> tuple[list[SearchHit], str]:
    """Order the hits and note those only counted: binaries, translations and most generated files."""
    binary = Counter(hit.path for hit in hits if names_binary(hit.text) and not _is_named(hit.path, named))
    hits = [hit for hit in hits if hit.path not in binary]
    hidden = _hidden_note({**binary, **(translated or {})})
    ordered, note = _own_first(hits, tree, base, is_everywhere=is_everywhere)
    return ordered, "; ".join(filter(None, (note, hidden)))


def _is_named(path: str, named: Sequence[str]) -> bool:
    """The file itself, or files with its ending."""
    ending = path[path.rfind(".") :]
    return any(place == path or (is_glob(place) and place.endswith(ending)) for place in named)


def names_binary(text: str) -> bool:
    """A line of no text: it has a zero byte, or bytes that stand for no letter."""
    odd = sum(not (one.isprintable() or one == "\t") or one == "\ufffd" for one in text[:MAX_LOOKED_AT])
    return "\0" in text or odd > len(text[:MAX_LOOKED_AT]) // MOST_ODD


def _hidden_note(hidden: Mapping[str, int]) -> str:
    if not hidden:
        return ""
    named = ", ".join(list(hidden)[:3]) + (" and others" if len(hidden) > 3 else "")
    count = sum(hidden.values())
    return f"{count} more in translations or binary files, which are searched where paths name them: {named}"


def is_translation(path: str) -> bool:
    """The file holds messages in some language: its name says so, or its folder and its ending."""
    plain = path.lower()
    if plain.endswith(TRANSLATED_ENDINGS):
        return True
    return plain.endswith(TEXT_ENDINGS) and not TRANSLATED_FOLDERS.isdisjoint(plain.split("/")[:-1])


def capped(hits: Sequence[SearchHit]) -> tuple[list[SearchHit], Counter[str]]:
    """The first hits of each file where several files have some, and how many more each of them has."""
    if len({hit.path for hit in hits}) < 2:
        return list(hits), Counter()
    seen: Counter[str] = Counter()
    kept = []
    for hit in hits:
        seen[hit.path] += 1
        if seen[hit.path] <= MAX_HITS_A_FILE:
            kept.append(hit)
    return kept, Counter({path: n - MAX_HITS_A_FILE for path, n in seen.items() if n > MAX_HITS_A_FILE})


def _own_first(
    hits: Sequence[SearchHit], tree: Tree, base: Tree, *, is_everywhere: bool
) -> tuple[list[SearchHit], str]:
    foreign = _foreign_paths(hits, tree, Attributes(base))
    own = [hit for hit in hits if hit.path not in foreign]
    last = [hit for hit in hits if hit.path in foreign]
    if not last or not is_everywhere or len(own) < MANY_HITS:
        return [*own, *last], ""
    paths = list(dict.fromkeys(hit.path for hit in last))
    named = ", ".join(paths[:3]) + (" and others" if len(paths) > 3 else "")
    kinds = "generated, minified, vendored, lock or SVG files"
    note = f"not listed: {len(last)} more in {kinds}"
    return own, f"{note}; give paths to see them: {named}"


def _foreign_paths(hits: Sequence[SearchHit], tree: Tree, attributes: Attributes) -> set[str]:
    paths = dict.fromkeys(hit.path for hit in hits)
    found = {path for path in paths if is_written_elsewhere(path, attributes)}
    found |= {hit.path for hit in hits if is_translation(hit.path) or "\0" in hit.text}
    # A bundle does not always say so in its name: its long lines do.
    long = dict.fromkeys(
        hit.path
        for hit in hits
        if hit.path not in found and hit.path.endswith(MINIFIED_ENDINGS) and may_be_cut(hit.text)
    )
    return found | {path for path in list(long)[:MAX_FILES_READ] if is_packed(path, tree.lines(path) or [])}


def where_others_are(hits: Sequence[SearchHit]) -> str:
    """A note on the files that have the most of the hits that are not shown."""
    most = Counter(hit.path for hit in hits).most_common(MAX_NAMED)
    return f"most of the others are in {', '.join(f'{path} ({n})' for path, n in most)}" if most else ""


MAX_READ_BYTES = 100_000_000
MAX_ACROSS = 2_000
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
    """Return the lines of each match and what was not read; limits count bytes, so answers are repeatable."""
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
        if len(hits) >= MAX_ACROSS:
            return hits[:MAX_ACROSS], f"stopped in {path} after {MAX_HITS} lines"
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


MAX_HITS = 100
MAX_HITS_IN_CONTEXT = 25
MAX_HIT_CHARACTERS = 300
MAX_NAMED_MISSING = 5
MOST_FOUND = MAX_SKIP + MAX_HITS + 1


@dataclass(frozen=True)
class Chosen:
    """Which files count for a search: not the excluded ones, and translations only where they are named."""

    paths: Sequence[str] = ()
    exclude: Sequence[str] = ()
    left_out: Counter[str] = field(default_factory=Counter)
    """The hits in translations that were not asked for, by file."""

    def counts(self, path: str) -> bool:
        """Whether a hit in the file counts; the question is asked for every hit."""
        if self.exclude and matches_any(path, self.exclude):
            return False
        if is_translation(path) and not self._names(path):
            self.left_out[path] += 1
            return False
        return True

    def _names(self, path: str) -> bool:
        """The file, its folder of translations, or files with its ending."""
        ending = path[path.rfind(".") :]
        return any(
            place == path
            or (is_glob(place) and place.endswith(ending) and matches_any(path, [place]))
            or (is_translation(f"{place}/x.po.json") and matches_any(path, [place]))
            for place in self.paths
        )


@dataclass(frozen=True)
class SearchTool:
    sides: ChangeSides

    def search(  # noqa: PLR0913 - the arguments are those that a model may give
        self,
        pattern: str,
        paths: Sequence[str] = (),
        *,
        exclude: Sequence[str] = (),
        literal: bool = False,
        whole_word: bool = False,
        multiline: bool = False,
        context_lines: int = 0,
        branch: str = "head",
        skip: int = 0,
    ) -> Answer:
        """Lines that match, grouped by file, with what stands around them where that is asked for."""
        side, skipped = side_named(branch), checked_skip(skip)
        tree = self.sides.tree(side)
        places, missing = self._places(tree, side, alternatives(tree, paths))
        chosen = Chosen(places, [*alternatives(tree, exclude)])
        look = search_across_lines if multiline else _search_lines
        hits, not_read = look(tree, pattern, places, chosen.counts, is_literal=literal, is_word=whole_word)
        found, counted = in_reading_order(
            hits,
            tree,
            self.sides.repository.base,
            is_everywhere=not places,
            named=places,
            translated=chosen.left_out,
        )
        reach = min(max(context_lines, 0), MAX_CONTEXT_LINES)
        rows, more = capped(found)
        limit = MAX_HITS_IN_CONTEXT if reach else MAX_HITS
        page, note = page_of(rows, skipped, limit, "hits", "narrow it with paths, or")
        files = _by_file(page, tree, reach, more)
        answer = {
            "pattern": pattern,
            "branch": side,
            "hits": len(page),
            "total_hits": len(found),
            "files": files,
        }
        return with_note(
            answer,
            missing,
            note if found else _nothing(multiline=multiline),
            where_others_are(rows[skipped + limit :]),
            counted,
            f"context_lines is at most {MAX_CONTEXT_LINES}" if context_lines > MAX_CONTEXT_LINES else "",
            f"only the first {len(hits):,} hits were counted" if len(hits) >= MOST_FOUND else "",
            not_read,
        )

    def _places(self, tree: Tree, side: Side, paths: Sequence[str]) -> tuple[list[str], str]:
        """The places that are there, and a note on the others; raises where nothing is left to search."""
        standing = {path: standing_place(tree, path) for path in paths}
        missing = [path for path, place in standing.items() if place is None]
        reasons = [self._why_missing(side, path) for path in missing[:MAX_NAMED_MISSING]]
        if len(missing) > MAX_NAMED_MISSING:
            reasons.append(f"{len(missing) - MAX_NAMED_MISSING} more paths are not there")
        places = [place for place in standing.values() if place is not None]
        if reasons and not places:
            raise InputError("; ".join(reasons))
        return places, f"not all paths were searched: {'; '.join(reasons)}" if reasons else ""

    def _why_missing(self, side: Side, path: str) -> str:
        if is_glob(path):
            return f"no file on branch '{side}' matches {shown(path)}"
        try:
            # A link or a submodule has its own reason.
            return f"{shown(self.sides.file(path, side))} cannot be searched"
        except InputError as error:
            return str(error)


def _search_lines(
    tree: Tree,
    pattern: str,
    places: Sequence[str],
    counts: Callable[[str], bool],
    *,
    is_literal: bool,
    is_word: bool,
) -> tuple[list[SearchHit], str]:
    hits = tree.search(
        pattern,
        places,
        is_literal=is_literal,
        is_word=is_word,
        max_hits=MOST_FOUND,
        max_characters=MAX_HIT_CHARACTERS,
        counts=counts,
    )
    return hits, ""


def _nothing(*, multiline: bool) -> str:
    return (
        "nothing matches"
        if multiline
        else "nothing matches; a pattern matches within one line, unless multiline is set"
    )


def _by_file(
    hits: Sequence[SearchHit], tree: Tree, context_lines: int, more: Counter[str]
) -> list[dict[str, Any]]:
    files: dict[str, dict[int, str]] = {}
    for hit in hits:
        files.setdefault(hit.path, {})[hit.line] = hit.text
    texts = {path: (tree.lines(path) or []) if context_lines else [] for path in files}
    return [
        {
            "file_path": path,
            "lines": lines_around(texts[path], found, context_lines)
            if texts[path]
            else [f"{number}: {text}" for number, text in found.items()],
            **({"more_hits": more[path]} if more[path] else {}),
        }
        for path, found in files.items()
    ]
