"""Find texts that a change takes away or brings in, and where else they stand."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

from affidavit.diff.skipping import Attributes, is_written_elsewhere
from affidavit.errors import GitError, InputError
from affidavit.languages.registry import LANGUAGES, is_document, language_of
from affidavit.languages.test_files import is_test
from affidavit.ports import Repository, Tree
from affidavit.records.change import Change, FileChange, Hunk
from affidavit.records.evidence import SearchHit

TextFate = Literal["replaces", "removes", "adds"]

MIN_LENGTH = 6
MAX_LENGTH = 100
MIN_LETTERS = 3
MAX_LINE = 2000
MIN_PHRASE = 16
"""A message of fewer characters stands in too many places."""
_QUOTED = re.compile(r"""(["'])((?:\\.|(?!\1).)*)\1""")
_QUOTED_OR_TEMPLATE = re.compile(r"""(["'`])((?:\\.|(?!\1).)*)\1""")
_TOKEN = re.compile(r"[^\W]+(?:[./:-]+\w+)*")
_COMMENT = re.compile(r"\s*(?:#(?!\[)|//|/?\*|--|;|<!--|%)")
_CONFIGURATION_COMMENT = re.compile(r"(?:^|\s)[#;].*")
_IMPORT = re.compile(
    r"""\s*(?:import\b|from\b|export\b.*\bfrom\b|@?(?:use|using|include|require)\b|\#\s*include\b)"""
    r"""|.*\b(?:require|require_relative|import)\s*\(?\s*["'`]"""
    r"""|\s*(?:[\w.]+\s+)?"[\w.~-]+(?:/[\w.~-]+)+"\s*$"""
)
_SHAPE = re.compile(r"/?\w+(?:[./:-]\w+)*/?")
_SEPARATOR = re.compile(r"[^\W_][_./:-]+[^\W_]")
_MIXED_CASE = re.compile(r"[a-z0-9][A-Z]")
_INNER_SEPARATOR = re.compile(r"[./:]")
_HEXADECIMAL = re.compile(r"(?:0x)?[0-9a-fA-F-]+")


class ChangedText(NamedTuple):
    """A text, what the change does to it, and the changed file in which it does so."""

    text: str
    fate: TextFate
    path: str


def changed_texts(change: Change) -> list[ChangedText]:
    """What the change takes away first, then what it brings in; what it only moves is neither.

    The texts of tests say again what those of the product say.
    """
    found: dict[str, ChangedText] = {}
    both: set[str] = set()
    for file in change.reviewed_files():
        if is_test(file.path) or is_document(file.path):
            continue
        for one in _in_file(file):
            known = found.setdefault(one.text, one)
            if (known.fate == "adds") != (one.fate == "adds"):
                both.add(one.text)
    kept = [one for one in found.values() if one.text not in both]
    return sorted(kept, key=lambda one: one.fate == "adds")


def _in_file(file: FileChange) -> Iterator[ChangedText]:
    for hunk in file.hunks:
        removed, added = _in_lines(hunk, "-", file.path), _in_lines(hunk, "+", file.path)
        has_new_lines = any(line[0] == "+" for line in hunk.lines)
        phrases = _phrases(hunk, "-", file.path)
        for text in (*removed, *(phrase for phrase in phrases if not _is_written(phrase, hunk))):
            if text not in added:
                yield ChangedText(text, "replaces" if has_new_lines else "removes", file.path)
        yield from (ChangedText(text, "adds", file.path) for text in added if text not in removed)


def _in_lines(hunk: Hunk, mark: str, path: str) -> dict[str, None]:
    """The texts of the lines with a mark, each once, in their order."""
    language = language_of(path)
    lines = [line[1:] for line in hunk.lines if line[0] == mark and len(line) <= MAX_LINE]
    return dict.fromkeys(text for line in lines for text in names_in_line(line, language))


_PLACEHOLDER = re.compile(r"%\([^)]*\)\w|%\w|\{[^{}]*\}|\$\{[^{}]*\}|\\.|\$\w+")


def _phrases(hunk: Hunk, mark: str, path: str) -> dict[str, None]:
    """The messages in lines with a mark, each as its longest part without placeholders."""
    language = language_of(path)
    if not LANGUAGES.named(language).quotes:
        return {}
    found: dict[str, None] = {}
    for line in hunk.lines:
        if line[0] != mark or len(line) > MAX_LINE or _COMMENT.match(line, 1) or is_import(line[1:]):
            continue
        for literal in _QUOTED.finditer(line, 1):
            part = max(_PLACEHOLDER.split(literal[2]), key=len).strip()
            if MIN_PHRASE <= len(part) <= MAX_LENGTH and part.count(" ") >= 2 and '"' not in part:
                found[part] = None
    return found


def _is_written(phrase: str, hunk: Hunk) -> bool:
    """A line that the hunk adds has the words as well."""
    return any(line[0] == "+" and phrase in line for line in hunk.lines)


def names_in_line(line: str, language: str) -> Iterator[str]:
    """The names that stand as texts in a line of code, or as keys and values in one of configuration."""
    if _COMMENT.match(line) or is_import(line):
        return
    quotes = LANGUAGES.named(language).quotes
    if not quotes:
        plain = _CONFIGURATION_COMMENT.sub("", line)
        literals: Iterable[str] = (found[0] for found in _TOKEN.finditer(plain))
    else:
        quoted = _QUOTED_OR_TEMPLATE if "`" in quotes else _QUOTED
        literals = (found[2] for found in quoted.finditer(line))
    for literal in literals:
        if _SHAPE.fullmatch(literal):
            yield from filter(_is_name, dict.fromkeys((literal, *_INNER_SEPARATOR.split(literal))))


def is_import(line: str) -> bool:
    """The line takes in another file, in one of the languages that texts stand in."""
    return _IMPORT.match(line[:MAX_LINE]) is not None


def _is_name(text: str) -> bool:
    """Nobody would write it in prose, and it is neither a number, a version nor a hash."""
    letters = sum(sign.isalpha() for sign in text)
    return (
        MIN_LENGTH <= len(text) <= MAX_LENGTH
        and letters >= MIN_LETTERS
        and not _HEXADECIMAL.fullmatch(text)
        and (_SEPARATOR.search(text) or _MIXED_CASE.search(text)) is not None
    )


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
