"""Provide the search tool: matching lines, grouped by file, and what was left out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from affidavit.diff.skipping import MINIFIED_ENDINGS, Attributes, is_packed, is_written_elsewhere
from affidavit.errors import InputError
from affidavit.git.glob import is_glob, matches_any
from affidavit.git.grep import may_be_cut
from affidavit.ports import Tree
from affidavit.records.evidence import SearchHit
from affidavit.records.record import Side
from affidavit.records.report import name_some
from affidavit.symbols.references import CATALOGUES
from affidavit.tools.arguments import Answer, shown
from affidavit.tools.excerpts import (
    MAX_CONTEXT_LINES,
    MAX_SKIP,
    ChangeSides,
    checked_skip,
    lines_around,
    page_of,
    with_note,
)
from affidavit.tools.lookup import alternatives, existing_place, parse_side

MAX_FILES_READ = 20
MANY_HITS = 20
MAX_LOOKED_AT = 300
MOST_ODD = 10
"""In a text, at most one character in this many is unusual."""
MAX_NAMED = 8
MAX_HITS_A_FILE = 20
TRANSLATED_ENDINGS = (*CATALOGUES, ".xlf", ".xliff", ".arb", ".qm", ".gmo")
TRANSLATED_FOLDERS = frozenset(
    ["i18n", "l10n", "lang", "langs", "languages", "lc_messages", "locale", "locales", "translations"]
)
TEXT_ENDINGS = (".json", ".json5", ".yaml", ".yml", ".properties", ".strings", ".ftl", ".toml", ".resx")
"""Files of messages, if they are in a folder of translations."""


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
    """Check whether a place is the file itself, or a glob with its ending."""
    ending = path[path.rfind(".") :]
    return any(place == path or (is_glob(place) and place.endswith(ending)) for place in named)


def names_binary(text: str) -> bool:
    """Check whether a line is not text: it has a zero byte, or many bytes that are not letters."""
    odd = sum(not (one.isprintable() or one == "\t") or one == "\ufffd" for one in text[:MAX_LOOKED_AT])
    return "\0" in text or odd > len(text[:MAX_LOOKED_AT]) // MOST_ODD


def _hidden_note(hidden: Mapping[str, int]) -> str:
    if not hidden:
        return ""
    count, named = sum(hidden.values()), name_some(list(hidden), 3)
    return f"{count} more in translations or binary files, which are searched where paths name them: {named}"


def is_translation(path: str) -> bool:
    """Check by name, or by folder and ending, whether a file holds translated messages."""
    plain = path.lower()
    if plain.endswith(TRANSLATED_ENDINGS):
        return True
    return plain.endswith(TEXT_ENDINGS) and not TRANSLATED_FOLDERS.isdisjoint(plain.split("/")[:-1])


def capped(hits: Sequence[SearchHit]) -> tuple[list[SearchHit], Counter[str]]:
    """Return the first hits of each file, if several files have some, and how many more each has."""
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
    named = name_some(list(dict.fromkeys(hit.path for hit in last)), 3)
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


def note_on_the_others(hits: Sequence[SearchHit]) -> str:
    """Name the files that have the most of the hits that are not shown."""
    most = Counter(hit.path for hit in hits).most_common(MAX_NAMED)
    return f"most of the others are in {', '.join(f'{path} ({n})' for path, n in most)}" if most else ""


MAX_HITS = 100
MAX_HITS_IN_CONTEXT = 25
MAX_HIT_CHARACTERS = 300
MAX_NAMED_MISSING = 5
MOST_FOUND = MAX_SKIP + MAX_HITS + 1


@dataclass(frozen=True)
class Chosen:
    """The files that count for a search: not excluded, and translations only if they are named."""

    paths: Sequence[str] = ()
    exclude: Sequence[str] = ()
    left_out: Counter[str] = field(default_factory=Counter)
    """The hits in unnamed translations, by file."""

    def counts(self, path: str) -> bool:
        """Check whether a hit in the file counts; note those in translations."""
        if self.exclude and matches_any(path, self.exclude):
            return False
        if is_translation(path) and not self._names(path):
            self.left_out[path] += 1
            return False
        return True

    def _names(self, path: str) -> bool:
        """Check whether a path means the file, its folder of translations, or files with its ending."""
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

    def search(
        self,
        pattern: str,
        paths: Sequence[str] = (),
        *,
        exclude: Sequence[str] = (),
        literal: bool = False,
        whole_word: bool = False,
        context_lines: int = 0,
        branch: str = "head",
        skip: int = 0,
    ) -> Answer:
        """Return the lines that match, grouped by file, with lines around them on request."""
        side, skipped = parse_side(branch), checked_skip(skip)
        tree = self.sides.tree(side)
        places, missing = self._places(tree, side, alternatives(tree, paths))
        chosen = Chosen(places, [*alternatives(tree, exclude)])
        hits = tree.search(
            pattern,
            places,
            is_literal=literal,
            is_word=whole_word,
            max_hits=MOST_FOUND,
            max_characters=MAX_HIT_CHARACTERS,
            counts=chosen.counts,
        )
        base, others = self.sides.repository.base, chosen.left_out
        found, counted = in_reading_order(
            hits, tree, base, is_everywhere=not places, named=places, translated=others
        )
        reach = min(max(context_lines, 0), MAX_CONTEXT_LINES)
        rows, more = capped(found)
        limit = MAX_HITS_IN_CONTEXT if reach else MAX_HITS
        page, note = page_of(rows, skipped, limit, "hits", "narrow it with paths, or")
        counts = {"hits": len(page), "total_hits": len(found)}
        unseen = len(found) - len(page)
        files = _by_file(page, tree, reach, more)
        return with_note(
            {"pattern": pattern, "branch": side, **counts, "files": files},
            f"{unseen} of {len(found)} hits are left out" if unseen else "",
            missing,
            note if found else "nothing matches; a pattern matches within one line",
            note_on_the_others(rows[skipped + limit :]),
            counted,
            f"context_lines is at most {MAX_CONTEXT_LINES}" if context_lines > MAX_CONTEXT_LINES else "",
            f"only the first {len(hits):,} hits were counted" if len(hits) >= MOST_FOUND else "",
        )

    def _places(self, tree: Tree, side: Side, paths: Sequence[str]) -> tuple[list[str], str]:
        """Return the places that exist, and a note on the others; raise if none is left."""
        standing = {path: existing_place(tree, path) for path in paths}
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
