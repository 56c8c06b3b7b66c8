"""From the instructions of a project to those sections that speak of a change, whole sections only."""

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from affidavit.languages.registry import language_of

MAX_CHARACTERS = 8_000
MAX_NAMED = 12
_HEADING = re.compile(r"#{1,6}\s+(\S.*)")
_FENCE = re.compile(r"\s*(```|~~~)")
_LANGUAGES = re.compile(
    r"\b(python|django|typescript|javascript|react|java|kotlin|golang|go|rust|ruby|rails|php|laravel|c\+\+|"
    r"c#|swift|css|sql|bash|shell)\b",
    re.IGNORECASE,
)
_FAMILIES = {
    "django": "python", "react": "typescript", "golang": "go", "rails": "ruby", "laravel": "php",
    "bash": "shell", "javascript": "typescript",
}  # fmt: skip


class Section(NamedTuple):
    """A heading with what stands below it."""

    title: str
    text: str


Texts = Sequence[tuple[str, Sequence[str]]]
"""Paths with their lines."""


def choose_sections(texts: Texts, paths: Collection[str], also_in: Sequence[Texts] = ()) -> str:
    """The sections of these files that fit, those that speak of the changed files first, in their order.

    A section counts only if all of the others have it, too, word for word.
    """
    others = [{one for path, lines in other for one in _sections(path, lines)} for other in also_in]
    every = (one for path, lines in texts for one in _sections(path, lines))
    sections = [one for one in every if all(one in other for other in others)]
    rated = sorted(range(len(sections)), key=lambda at: (_distance(sections[at], paths), at))
    kept: set[int] = set()
    left = MAX_CHARACTERS
    for at in rated:
        if len(sections[at].text) <= left:
            kept.add(at)
            left -= len(sections[at].text)
    shown = [sections[at].text for at in sorted(kept)]
    missing = [one.title for at, one in enumerate(sections) if at not in kept]
    if missing:
        more = " and others" if len(missing) > MAX_NAMED else ""
        shown.append(f"[left out: {'; '.join(missing[:MAX_NAMED])}{more}]")
    return "\n\n".join(shown)


def _sections(path: str, lines: Sequence[str]) -> list[Section]:
    """The file in its sections; a mark in a block of code is no heading."""
    found: list[Section] = []
    title, rows, in_code = path, [f"[{path}]"], False
    for line in lines:
        in_code ^= _FENCE.match(line) is not None
        heading = None if in_code else _HEADING.match(line)
        if heading is not None:
            found.append(Section(title, "\n".join(rows).strip()))
            title, rows = heading[1][:80], []
        rows.append(line)
    found.append(Section(title, "\n".join(rows).strip()))
    return [one for one in found if one.text]


def _distance(section: Section, paths: Collection[str]) -> int:
    """0 where it speaks of the changed folders or their language, 1 of nothing special, 2 of others."""
    languages = {_family(language_of(path)) for path in paths}
    folders = {part for path in paths for part in path.split("/")[:-1] if len(part) > 2}
    words = set(re.findall(r"[\w.-]+", section.text))
    named = {_family(word.lower()) for word in _LANGUAGES.findall(section.text)}
    if named & languages or words & folders:
        return 0
    return 2 if named else 1


def _family(language: str) -> str:
    return _FAMILIES.get(language, language)
