"""Search a tree with `git grep`, within limits of time and size."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import IO, TYPE_CHECKING

from affidavit.errors import GitError, InputError
from affidavit.git.command import Git, complaint
from affidavit.git.glob import expand_braces, is_glob, matching
from affidavit.git.text import decode_path
from affidavit.ports import always
from affidavit.records.evidence import SearchHit
from affidavit.system.child_process import ended_after, own_cpu_seconds

if TYPE_CHECKING:
    from affidavit.git.tree import GitTree

SEARCH_TIMEOUT_SECONDS = 30.0
MAX_HIT_CHARACTERS = 2000
MAX_LINE_BYTES = 1_000_000
MAX_PATHS = 500
MAX_PATTERN_CHARACTERS = 10_000
GREP_OPTIONS = ("-n", "-z", "--text", "--full-name", "--no-color", "--column", "--no-recurse-submodules")
CUT = "…"
# Basic and extended expressions read these as something else instead of refusing them.
PERL_ONLY = re.compile(r"\\[dDhHvVRKQEAZzGpPxuX]|\(\?|[*+?}][?+]")
TOKEN = re.compile(r"[\w+/=.-]")


@dataclass(frozen=True)
class Query:
    """A pattern and the limits of its search."""

    pattern: str
    is_literal: bool = False
    is_word: bool = False
    max_hits: int = 200
    max_characters: int = MAX_HIT_CHARACTERS
    """Longer lines are cut around their first match."""
    timeout_seconds: float = SEARCH_TIMEOUT_SECONDS


def search_tree(
    git: Git,
    tree: "GitTree",
    query: Query,
    paths: Sequence[str] = (),
    counts: Callable[[str], bool] = always,
) -> list[SearchHit]:
    """Return the first lines that match, in the order of the tree, of the files that count."""
    _check_pattern(query.pattern)
    places = _places(tree, paths)
    if counts is not always:
        is_named = places.counts
        places = _SearchPlaces(places.specs, (lambda path: is_named(path) and counts(decode_path(path))))
    # With a UTF-8 locale a letter outside ASCII is one letter and not several bytes.
    utf8 = git.having({"LC_ALL": "C.UTF-8"})
    hits, stderr, code = _grep(utf8, tree, query, "-F" if query.is_literal else "-P", places)
    if code > 1 and b"Perl-compatible" in stderr and not query.is_literal:
        if PERL_ONLY.search(query.pattern):
            raise InputError(f"the pattern {query.pattern!r} needs a git built with Perl expressions")
        hits, stderr, code = _grep(utf8, tree, query, "-E", places)
    if code > 1:
        raise InputError(f"the search for {query.pattern!r} failed: {complaint(stderr)}")
    return hits


def files_in_tree(git: Git, tree: "GitTree", pattern: str, endings: Sequence[str]) -> set[str]:
    """Return the files of these endings with a line that matches a Perl-compatible pattern."""
    _check_pattern(pattern)
    wanted = ("-P", "-e", pattern, tree.revision, "--", *(f":(icase)*{end}" for end in endings))
    utf8 = git.having({"LC_ALL": "C.UTF-8"})
    process = utf8.start(["grep", "-l", "-z", "--text", "--full-name", "--no-color", *wanted])
    used = partial(own_cpu_seconds, process.pid)
    with process, ended_after(SEARCH_TIMEOUT_SECONDS, used, process.kill):
        output, stderr = process.communicate()
    if process.returncode not in (0, 1):
        raise GitError(f"the search for {pattern!r} failed: {complaint(stderr)}")
    return {decode_path(row[len(tree.revision) + 1 :]) for row in output.split(b"\0") if row}


def _check_pattern(pattern: str) -> None:
    if not pattern:
        raise InputError("the search pattern is empty")
    if "\0" in pattern or "\n" in pattern:
        raise InputError("a search pattern is one line, without zero bytes")
    if len(pattern) > MAX_PATTERN_CHARACTERS:
        raise InputError(f"the search pattern is longer than {MAX_PATTERN_CHARACTERS} characters")
    try:
        pattern.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"the search pattern is not valid text: {error.reason}") from error


@dataclass(frozen=True)
class _SearchPlaces:
    """The path arguments for git, and which hits count."""

    specs: Sequence[bytes] = ()
    counts: Callable[[bytes], bool] = lambda _path: True


def _places(tree: "GitTree", paths: Sequence[str]) -> _SearchPlaces:
    """Return the paths as git takes them; each must name at least one file of the tree."""
    if len(paths) > MAX_PATHS:
        raise InputError(f"a search takes at most {MAX_PATHS} paths, not {len(paths)}")
    found = [_named(tree, path) for path in paths]
    if any(named is None for named in found):
        return _SearchPlaces()
    # Magic words are spelled out, so that none can come in with the path.
    names = dict.fromkeys(name for named in found for name in named or ())
    if len(names) <= MAX_PATHS:
        return _SearchPlaces([b":(literal)" + name for name in names])
    # Git compares every file with every given name, so many names are looked up here.
    return _SearchPlaces(
        counts=lambda path: path in names or any(above in names for above in _folders_above(path))
    )


def _folders_above(path: bytes) -> Iterator[bytes]:
    while b"/" in path:
        path = path.rsplit(b"/", 1)[0]
        yield path


def _named(tree: "GitTree", path: str) -> list[bytes] | None:
    """Return the files, or the folder, that a path means; None for the whole tree."""
    plain = path.removeprefix("./").rstrip("/")
    if plain in ("", ".") and not path.startswith("/"):
        return None
    entry = tree.entry(plain)
    raw = entry.raw_path if entry else tree.folders.get(plain)
    # Git's own globs can take forever on a hostile pattern, so none is passed on.
    if raw is not None:
        return [raw]
    globs = [one for one in expand_braces(plain) if is_glob(one) or one != plain]
    found = matching(tree.entries(), globs)
    if not found:
        raise InputError(f"no file of the tree is called {path!r} or matches it")
    return [tree.entries()[name].raw_path for name in found]


def _grep(
    git: Git, tree: "GitTree", query: Query, syntax: str, places: _SearchPlaces
) -> tuple[list[SearchHit], bytes, int]:
    words = ("-w",) if query.is_word else ()
    wanted = (*words, syntax, "-e", query.pattern, tree.revision, "--", *places.specs)
    process = git.start(["grep", *GREP_OPTIONS, *wanted])
    used = partial(own_cpu_seconds, process.pid)
    with process, ended_after(query.timeout_seconds, used, process.kill) as late:
        hits, was_cut = _take(process.stdout, len(tree.revision) + 1, query, places)
        if was_cut:
            process.kill()
        stderr = process.stderr.read() if process.stderr else b""
        code = process.wait()
    is_late = late.is_set()
    if was_cut:
        return hits, b"", 0
    if code < 0:
        why = f"took longer than {query.timeout_seconds:g} seconds" if is_late else f"got signal {-code}"
        raise GitError(f"the search for {query.pattern!r} {why}", retryable=is_late)
    return hits, stderr, code


def _take(
    stdout: IO[bytes] | None, prefix: int, query: Query, places: _SearchPlaces
) -> tuple[list[SearchHit], bool]:
    hits: list[SearchHit] = []
    for path, number, column, text in _records(stdout):
        if not places.counts(path[prefix:]):
            continue
        if len(hits) >= query.max_hits:
            return hits, True
        shown = _around_match(text, column, query.max_characters)
        hits.append(SearchHit(path=decode_path(path[prefix:]), line=number, text=shown))
    return hits, False


def _around_match(text: bytes, column: int, most: int) -> str:
    """Return the line, cut around the match if it is long; never inside a token, which may be a secret."""
    line = text.decode("utf-8", "replace").removesuffix("\r")
    if len(line) <= most:
        return line
    match = len(text[: column - 1].decode("utf-8", "replace"))
    start = max(0, min(match - most // 4, len(line) - most))
    end = start + most
    if start:
        start = next(at for at in range(start, match + 1) if at == match or not TOKEN.match(line, at))
    if end < len(line):
        least = match + most // 8
        end = next((at for at in range(end, least, -1) if not TOKEN.match(line, at)), least)
    return f"{CUT if start else ''}{line[start:end]}{CUT if end < len(line) else ''}"


def may_be_cut(text: str) -> bool:
    """Check whether the text of a hit may be a part of its line."""
    return text.startswith(CUT) or text.endswith(CUT)


def _lines(stdout: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines, each up to a limit: a single one may have gigabytes."""
    while line := stdout.readline(MAX_LINE_BYTES):
        if line.endswith(b"\n"):
            yield line
            continue
        last = line
        while last and not last.endswith(b"\n"):
            last = stdout.readline(MAX_LINE_BYTES)
        yield line + f"{CUT}\n".encode()


def _records(stdout: IO[bytes] | None) -> Iterator[tuple[bytes, int, int, bytes]]:
    """Yield path, line number, column and text; a path may have line feeds, a text zero bytes."""
    waiting = b""
    for line in _lines(stdout) if stdout else ():
        waiting += line
        parts = waiting.split(b"\0", 3)
        if len(parts) == 4:
            yield parts[0], int(parts[1]), int(parts[2]), parts[3].rstrip(b"\n")
            waiting = b""
