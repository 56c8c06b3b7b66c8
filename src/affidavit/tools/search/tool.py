"""The tool that searches: from a pattern to the lines that match, grouped by file, and what was left out."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from affidavit.errors import InputError
from affidavit.git.search.glob import is_glob, matches_any
from affidavit.ports import Tree
from affidavit.records.evidence import SearchHit
from affidavit.records.record import Side
from affidavit.tools.arguments import shown
from affidavit.tools.excerpts import MAX_CONTEXT_LINES, lines_around, page_of
from affidavit.tools.lookup import alternatives, side_named, standing_place
from affidavit.tools.search.across_lines import search_across_lines
from affidavit.tools.search.reading_order import capped, in_reading_order, is_translation, where_others_are
from affidavit.tools.sides import MAX_SKIP, Answer, Sides, checked_skip, with_note

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
    """`search` over one change."""

    sides: Sides

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
