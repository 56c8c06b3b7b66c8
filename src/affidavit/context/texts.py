"""Find quoted names that a change removes, and the other files that still contain them."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal, NamedTuple

from affidavit.diff.skipping import Attributes, is_written_elsewhere
from affidavit.errors import GitError, InputError
from affidavit.languages.registry import LANGUAGES, is_document, language_of
from affidavit.languages.test_files import is_test
from affidavit.ports import Repository
from affidavit.records.change import Change, Hunk
from affidavit.records.evidence import SearchHit

TextFate = Literal["replaces", "removes"]

MIN_LENGTH = 6
MAX_LENGTH = 100
MIN_LETTERS = 3
MAX_LINE = 2000
MAX_TEXTS = 80
MAX_PATTERN = 9000
MAX_HITS = 4000
COMMON_FILES = 6
"""A text in more files is too common."""
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
    """A text that a change replaces or removes, and the changed file that had it."""

    text: str
    fate: TextFate
    path: str


@dataclass(frozen=True)
class SharedText:
    """A file that still has a changed text, and the lines that have it."""

    path: str
    changed: ChangedText
    lines: tuple[int, ...]


def changed_texts(change: Change) -> list[ChangedText]:
    """Return the texts that the change removes and does not move; texts of tests are left out."""
    found: dict[str, ChangedText] = {}
    kept: set[str] = set()
    for file in change.reviewed_files():
        if is_test(file.path) or is_document(file.path):
            continue
        for hunk in file.hunks:
            kept |= _in_lines(hunk, "+", file.path).keys()
            fate: TextFate = "replaces" if any(line[0] == "+" for line in hunk.lines) else "removes"
            for text in _in_lines(hunk, "-", file.path):
                found.setdefault(text, ChangedText(text, fate, file.path))
    return [one for one in found.values() if one.text not in kept]


def _in_lines(hunk: Hunk, mark: str, path: str) -> dict[str, None]:
    """Return the texts of the lines with a mark, each once, in their order."""
    language = language_of(path)
    lines = [line[1:] for line in hunk.lines if line[0] == mark and len(line) <= MAX_LINE]
    return dict.fromkeys(text for line in lines for text in names_in_line(line, language))


def names_in_line(line: str, language: str) -> Iterator[str]:
    """Return the quoted names of a line of code, or the keys and values of a line of configuration."""
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
    return _IMPORT.match(line[:MAX_LINE]) is not None


def _is_name(text: str) -> bool:
    """Check that a text is not prose, a number, a version or a hash."""
    letters = sum(sign.isalpha() for sign in text)
    return (
        MIN_LENGTH <= len(text) <= MAX_LENGTH
        and letters >= MIN_LETTERS
        and not _HEXADECIMAL.fullmatch(text)
        and (_SEPARATOR.search(text) or _MIXED_CASE.search(text)) is not None
    )


def find_shared_texts(
    change: Change, repository: Repository, *, max_hits: int = MAX_HITS
) -> tuple[list[SharedText], list[str]]:
    """Return the files that still have such texts at head, and sentences about what was not searched."""
    texts = changed_texts(change)
    # As many as fit into one pattern.
    sizes = accumulate(len(re.escape(one.text)) + 1 for one in texts[:MAX_TEXTS])
    wanted = [one for one, size in zip(texts, sizes, strict=False) if size <= MAX_PATTERN]
    if not wanted:
        return [], []
    rest = len(texts) - len(wanted)
    left_out = [f"{rest} more changed texts were not searched for in other files"] if rest else []
    try:
        hits = repository.head.search(_pattern(one.text for one in wanted), max_hits=max_hits)
    except (InputError, GitError) as error:
        return [], [*left_out, f"other files with the changed texts could not be searched for: {error}"]
    if len(hits) >= max_hits:
        return [], [*left_out, f"other files with the changed texts have more than {max_hits} such lines"]
    return list(_shared(wanted, _elsewhere(hits, change, repository))), left_out


def _pattern(texts: Iterable[str]) -> str:
    """Match whole names only; a longer text comes before its own beginning."""
    written = "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))
    return rf"(?<!\w)(?:{written})(?!\w)"


def _elsewhere(hits: Sequence[SearchHit], change: Change, repository: Repository) -> list[SearchHit]:
    attributes = Attributes(repository.base)
    left_out = change.changed_files | {
        path for path in {hit.path for hit in hits} if is_written_elsewhere(path, attributes)
    }
    # The import graph already has the importers of a module.
    return [hit for hit in hits if hit.path not in left_out and not is_import(hit.text)]


def _shared(texts: Sequence[ChangedText], hits: Sequence[SearchHit]) -> Iterator[SharedText]:
    for one in texts:
        whole = re.compile(_pattern([one.text]))
        lines: dict[str, list[int]] = {}
        for hit in hits:
            if one.text in hit.text and whole.search(hit.text):
                lines.setdefault(hit.path, []).append(hit.line)
        if len(lines) <= COMMON_FILES:
            yield from (SharedText(path, one, tuple(at)) for path, at in lines.items())
