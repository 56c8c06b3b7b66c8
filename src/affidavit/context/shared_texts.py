"""Where the texts that a change takes away or brings in stand too: files that only a text ties to it."""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

from affidavit.context.changed_texts import ChangedText, changed_texts, is_import
from affidavit.diff.skipping import Attributes, is_written_elsewhere
from affidavit.errors import GitError, InputError
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change
from affidavit.records.evidence import SearchHit

MAX_TEXTS = 80
MAX_PATTERN = 9000
MAX_HITS = 4000
MAX_SEARCHES = 2
MAX_FILES = 20
COMMON_FILES = 6
"""A text in more files than that says nothing of any of them."""


@dataclass(frozen=True)
class SharedText:
    """A file that has a changed text as well, and the lines that have it."""

    path: str
    changed: ChangedText
    lines: tuple[int, ...]
    spread: int
    """In how many files the text stands that the change does not touch."""


def find_shared_texts(
    change: Change, repository: Repository, *, max_hits: int = MAX_HITS
) -> tuple[list[SharedText], list[str]]:
    """The files with such texts at head, rare texts first, and what was not looked at, in sentences."""
    texts = changed_texts(change)
    if not texts:
        return [], []
    wanted = _fitting(texts)
    left_out = []
    if len(texts) > len(wanted):
        left_out.append(f"{len(texts) - len(wanted)} more changed texts were not searched for in other files")
    try:
        rare = _search_rare(wanted, change, repository, max_hits)
    except (InputError, GitError) as error:
        return [], [*left_out, f"other files with the changed texts could not be searched for: {error}"]
    if rare is None:
        return [], [*left_out, f"other files with the changed texts have more than {max_hits} such lines"]
    found, not_named = _few_files(_shared(*rare))
    return found, [*left_out, *not_named]


def _search_rare(
    texts: Sequence[ChangedText], change: Change, repository: Repository, max_hits: int
) -> tuple[list[ChangedText], list[SearchHit]] | None:
    """Texts with all their lines elsewhere; None where even without common texts there are too many.

    A common text fills the answer before the search is through. Then the others are searched for alone.
    """
    rare = list(texts)
    for _ in range(MAX_SEARCHES):
        found = _search([one.text for one in rare], repository.head, max_hits)
        elsewhere = _elsewhere(found, change.changed_files, repository.base)
        if len(found) < max_hits:
            return rare, elsewhere
        spread = Counter(one.changed for one in _shared(rare, elsewhere, most=len(elsewhere)))
        rare = [one for one in rare if spread[one] <= COMMON_FILES]
        if not rare:
            return [], []
    return None


def _few_files(found: Sequence[SharedText]) -> tuple[list[SharedText], list[str]]:
    """What the change takes away before what it adds, and rare texts before common ones."""
    ordered = sorted(found, key=lambda one: (one.changed.fate == "adds", one.spread, one.path))
    paths = list(dict.fromkeys(one.path for one in ordered))
    kept = set(paths[:MAX_FILES])
    rest = len(paths) - len(kept)
    said = [f"{rest} more files with changed texts are not named"] if rest else []
    return [one for one in ordered if one.path in kept], said


def _fitting(texts: Sequence[ChangedText]) -> list[ChangedText]:
    """As many as one pattern takes."""
    sizes = accumulate(len(re.escape(one.text)) + 1 for one in texts[:MAX_TEXTS])
    return [one for one, size in zip(texts, sizes, strict=False) if size <= MAX_PATTERN]


def _search(texts: Sequence[str], tree: Tree, max_hits: int) -> list[SearchHit]:
    # What is long goes first: the search would else be content with the beginning of a longer text.
    ordered = sorted(texts, key=len, reverse=True)
    return tree.search(_pattern(ordered), max_hits=max_hits)


def _pattern(texts: Sequence[str]) -> str:
    """Whole names only. A hyphen parts two names, except beside a name that has hyphens itself."""
    plain = [re.escape(text) for text in texts if "-" not in text]
    hyphened = [re.escape(text) for text in texts if "-" in text]
    sides = []
    if plain:
        sides.append(rf"(?<!\w)(?:{'|'.join(plain)})(?!\w)")
    if hyphened:
        sides.append(rf"(?<![\w-])(?:{'|'.join(hyphened)})(?![\w-])")
    return "|".join(sides)


def _elsewhere(hits: Sequence[SearchHit], changed: Collection[str], base: Tree) -> list[SearchHit]:
    attributes = Attributes(base)
    foreign = {path for path in {hit.path for hit in hits} if is_written_elsewhere(path, attributes)}
    # Who imports a module is known from the import graph.
    return [
        hit for hit in hits if hit.path not in changed and hit.path not in foreign and not is_import(hit.text)
    ]


def _shared(
    texts: Sequence[ChangedText], hits: Sequence[SearchHit], *, most: int = COMMON_FILES
) -> list[SharedText]:
    found: list[SharedText] = []
    for one in texts:
        whole = re.compile(_pattern([one.text]))
        lines: dict[str, list[int]] = {}
        for hit in hits:
            if one.text in hit.text and whole.search(hit.text):
                lines.setdefault(hit.path, []).append(hit.line)
        if len(lines) <= most:
            found += [SharedText(path, one, tuple(at), len(lines)) for path, at in lines.items()]
    return found
