"""Find what a team wrote for its agents and contributors about the files of a change.

A section counts only if base and the target's tip both have it, word for word, and both apply it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from affidavit.git.glob import expand_braces, matches_any
from affidavit.languages.registry import LANGUAGES
from affidavit.ports import Tree

OWN = ".affidavit/instructions.md"
NEAREST = ("REVIEW.md", ".cursor/BUGBOT.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""Files that any folder may have; for a path the nearest one above it counts."""
COPILOT = ".github/copilot-instructions.md"
COPILOT_RULES = ".github/instructions/"
CURSOR_RULES = ".cursor/rules/"
CONTRIBUTING = tuple(f"{folder}CONTRIBUTING.md" for folder in ("", ".github/", "docs/"))
MAX_BYTES = 200_000
MAX_FILES = 40
MAX_CHARACTERS = 8_000
MAX_NAMED = 12
MAX_HEADER_LINES = 60
MAX_HEADER_LINE = 1_000
MAX_HEADING = 200
"""Characters of a heading that are looked at."""
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")
_CODE_FENCE = re.compile(r"\s*(```|~~~)")
_HEADER_KEY = re.compile(r"(\w+)\s*:\s*(.*)")
_ABOUT_CODE = re.compile(r"\b(?:styl|lint|format|convention|coding|naming|test)", re.IGNORECASE)
_NAMED_PATH = re.compile(r"`([^`\s]+)`|(?<![\w`])([\w.-]+(?:/[\w.*-]+)+/?)")
_ANY_SUBJECT = re.compile(
    r"\b(?:and|for|in|code|coding|conventions?|format(?:ting)?|guide|guidelines|lint(?:ing)?|rules|style"
    r"|styleguide|testing|tests?)\b",
    re.IGNORECASE,
)
TITLES = {one.title: one.family for one in LANGUAGES}
_LIST = re.compile(r"^\[(.*)\]$")
_OUTSIDE_BRACES = re.compile(r",(?![^{}]*\})")


class Section(NamedTuple):
    """A heading with the text below it."""

    path: str
    title: str
    text: str
    line: int
    headings: tuple[str, ...] = ()
    """Its own heading and those above it."""

    @property
    def words(self) -> tuple[str, str, str]:
        """Return what base and tip must have alike."""
        return self.path, self.title, self.text


@dataclass(frozen=True)
class Instructions:
    """The sections that apply, the ones that did not fit, and the files that were not read."""

    sections: tuple[Section, ...] = ()
    left_out: tuple[Section, ...] = ()
    not_read: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Write the sections with their places, and name what is missing."""
        shown = [f"[{one.path}:{one.line}]\n{one.text}" for one in self.sections]
        missing = [f"{one.path}:{one.line} {one.title}" for one in self.left_out]
        for what, names in (("left out, no room", missing), ("not read", self.not_read)):
            more = f"; and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
            shown += [f"[{what}: {'; '.join(names[:MAX_NAMED])}{more}]"] if names else []
        return "\n\n".join(shown)


def instructions_for(trees: Sequence[Tree], paths: Sequence[str], most: int = MAX_CHARACTERS) -> Instructions:
    """Return what the first tree says about these paths, as far as the other trees say it, too."""
    first, *others = (_applying(tree, paths) for tree in trees)
    agreed = [{one.words for one in other} for other, _ in others]
    sections: list[Section] = []
    left_out: list[Section] = []
    seen: set[str] = set()
    for one in first[0]:
        if one.text in seen or not all(one.words in other for other in agreed):
            continue
        seen.add(one.text)
        fits = sum(len(shown.text) for shown in sections) + len(one.text) <= most
        (sections if fits else left_out).append(one)
    return Instructions(tuple(sections), tuple(left_out), tuple(first[1]))


def instruction_files(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield every instruction file of a tree, and the files that it is about."""
    for path in sorted(tree.entries()):
        if about := _about(tree, path):
            why = _why_not_read(tree, path)
            yield path, f"nothing: it {why}" if why else about


def _about(tree: Tree, path: str) -> str:
    folder, name = _folder_and_name(path)
    if path in (OWN, COPILOT):
        return "every file"
    if name in NEAREST:
        return f"{folder}/" if folder else "every file"
    if path in CONTRIBUTING:
        return "every file: sections on style and tests"
    if not _is_rule(path):
        return ""
    return ", ".join(_patterns(path, tree.redacted_lines(path) or [])) or "nothing: it names no files"


def _why_not_read(tree: Tree, path: str) -> str:
    if tree.link(path) is not None:
        return "is a link"
    content = tree.read(path) or b""
    if len(content) > MAX_BYTES:
        return f"has {len(content):,} bytes, more than {MAX_BYTES:,}"
    return "is not text" if b"\0" in content else ""


def _applying(tree: Tree, paths: Sequence[str]) -> tuple[list[Section], list[str]]:
    """Return the sections of one tree about the paths, and the files that were not read."""
    found: list[Section] = []
    not_read: list[str] = []
    languages = {LANGUAGES.of(path).family for path in paths}
    for file in list(_files_about(tree, paths))[:MAX_FILES]:
        if why := _why_not_read(tree, file):
            not_read.append(f"{file} {why}")
        else:
            lines = tree.redacted_lines(file) or []
            sections = _sections(file, lines) if _is_about(file, lines, paths) else ()
            found += (one for one in sections if _concerns(one, tree, paths, languages))
    return found, not_read


def _files_about(tree: Tree, paths: Sequence[str]) -> Iterator[str]:
    """Yield the files to read, the most specific first."""
    entries = tree.entries()
    folders = dict.fromkeys(folder for path in paths for folder in _folders_above(path))
    yield from (OWN,) if OWN in entries else ()
    yield from sorted(path for path in entries if _is_rule(path))
    for name in NEAREST:
        nearest = (
            next((at for folder in _folders_above(path) if (at := folder + name) in entries), "")
            for path in paths
        )
        found = dict.fromkeys(filter(None, nearest))
        yield from sorted(found, key=lambda at: -at.count("/"))
    yield from (path for path in (COPILOT, *CONTRIBUTING) if path in entries and folders)


def _folders_above(path: str) -> Iterator[str]:
    """Yield the folders above a path, the nearest first, as prefixes of paths."""
    parts = path.split("/")[:-1]
    yield from ("/".join([*parts[:count], ""]) for count in range(len(parts), -1, -1))


def _folder_and_name(path: str) -> tuple[str, str]:
    """Split a path at its last folder; `.cursor/BUGBOT.md` is one name."""
    known = next((name for name in NEAREST if path == name or path.endswith(f"/{name}")), "")
    name = known or PurePosixPath(path).name
    return path.removesuffix(name).rstrip("/"), name


def _is_rule(path: str) -> bool:
    if path.startswith(COPILOT_RULES):
        return path.endswith(".instructions.md")
    return path.endswith(".mdc") and CURSOR_RULES in f"/{path}"


def _is_about(file: str, lines: Sequence[str], paths: Iterable[str]) -> bool:
    if not _is_rule(file):
        return True
    patterns = _patterns(file, lines)
    return any(matches_any(path, patterns) for path in paths)


def _patterns(file: str, lines: Sequence[str]) -> list[str]:
    """Return the globs of a rule file; Cursor's are relative to the folder that has `.cursor`."""
    keys = _header(lines)
    if file.startswith(COPILOT_RULES):
        # No slash means the top folder there, any folder in our globs.
        found = [one if "/" in one or one in ("*", "**") else f"/{one}" for one in keys.get("applyTo", [])]
        return [each for one in found for each in expand_braces(one)]
    folder = file.partition(CURSOR_RULES)[0]
    if keys.get("alwaysApply") == ["true"]:
        return [f"{folder}**"]
    found = [one if "/" in one or not folder else f"**/{one}" for one in keys.get("globs", [])]
    return [folder + each for one in found for each in expand_braces(one)]


def _header(lines: Sequence[str]) -> dict[str, list[str]]:
    """Read the keys between two lines `---`; Cursor's globs are not always valid YAML."""
    found: dict[str, list[str]] = {}
    key = ""
    for line in lines[1 : _header_end(lines)]:
        if len(line) > MAX_HEADER_LINE:
            continue
        match = _HEADER_KEY.match(line)
        if match:
            key = match[1]
            found[key] = _values(_LIST.sub(r"\1", match[2].strip()))
        elif key and line.strip().startswith("- "):
            found[key] += _values(line.strip()[2:])
    return found


def _values(text: str) -> list[str]:
    return [value for one in _OUTSIDE_BRACES.split(text) if (value := one.strip().strip("\"'"))]


def _header_end(lines: Sequence[str]) -> int:
    """Return the index of the line that ends the header; 0 if there is none."""
    if not lines or lines[0].strip() != "---":
        return 0
    ends = (at for at, line in enumerate(lines[1:MAX_HEADER_LINES], 1) if line.strip() == "---")
    return next(ends, 0)


def _sections(path: str, lines: Sequence[str]) -> Iterator[Section]:
    """Divide a file into sections; a mark in a block of code is not a heading."""
    end = _header_end(lines)
    start = end + 1 if end else 0
    title, first, rows, in_code = path, start + 1, list[str](), False
    above: list[tuple[int, str]] = []
    for number, line in enumerate(lines[start:], start + 1):
        in_code ^= _CODE_FENCE.match(line) is not None
        heading = None if in_code else _HEADING.match(line)
        if heading is not None:
            yield from _section(path, title, first, rows, above)
            level = len(heading[1])
            above = [*(one for one in above if one[0] < level), (level, heading[2][:MAX_HEADING])]
            title, first, rows = heading[2][:80], number, []
        rows.append(line)
    yield from _section(path, title, first, rows, above)


def _section(
    path: str, title: str, first: int, rows: list[str], above: list[tuple[int, str]]
) -> Iterator[Section]:
    text = "\n".join(rows).strip()
    if text and (text.count("\n") or not _HEADING.fullmatch(text)):
        yield Section(path, title, text, first, tuple(heading for _, heading in above))


def _concerns(section: Section, tree: Tree, paths: Sequence[str], languages: set[str]) -> bool:
    """Check that no heading is about other folders or languages, and a guide's about style or tests."""
    headings = section.headings
    if section.path in CONTRIBUTING and not any(_ABOUT_CODE.search(one) for one in headings):
        return False
    return not any(_is_about_others(one, tree, paths, languages) for one in headings)


def _is_about_others(heading: str, tree: Tree, paths: Sequence[str], languages: set[str]) -> bool:
    words = set(re.findall(r"[\w+#]+", _ANY_SUBJECT.sub("", heading)))
    if words and words <= TITLES.keys():
        return languages.isdisjoint(TITLES[word] for word in words)
    named = {(quoted or bare).strip("/") for quoted, bare in _NAMED_PATH.findall(heading)}
    places = [one for one in named if any(f"{path}/".startswith(f"{one}/") for path in tree.entries())]
    return bool(places) and not any(matches_any(path, places) for path in paths)
