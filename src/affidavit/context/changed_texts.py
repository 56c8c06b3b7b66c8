"""The names in texts that a change takes away or brings in: keys, routes, settings, events."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from affidavit.languages.registry import LANGUAGES, is_document, language_of
from affidavit.languages.test_files import is_test
from affidavit.records.change import Change, FileChange, Hunk

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
