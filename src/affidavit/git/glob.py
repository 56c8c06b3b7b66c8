"""Match paths against glob patterns, quickly even if both are hostile."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import lru_cache

MARKS = frozenset("*?[")
MAX_ALTERNATIVES = 64
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


def is_glob(path: str) -> bool:
    return not MARKS.isdisjoint(path)


def matches_any(path: str, patterns: Sequence[str]) -> bool:
    """Check whether a pattern matches the path or a folder that holds it."""
    return any(compile_glob(pattern, takes_folders=True).matches(path) for pattern in patterns)


def matches_file(path: str, pattern: str) -> bool:
    """Check whether a pattern matches the path itself, as in .gitattributes."""
    return compile_glob(pattern).matches(path)


@dataclass(frozen=True)
class Glob:
    """A compiled pattern: one test for each folder and file name, and None for `**`."""

    tests: Sequence[Callable[[str], object] | None]

    def matches(self, path: str) -> bool:
        names = path.split("/")
        at = number = 0
        # If the rest does not match after the last `**`, it takes one more folder; earlier ones need not.
        retry: tuple[int, int] | None = None
        while at < len(names) or number < len(self.tests):
            test = self.tests[number] if number < len(self.tests) else _fails
            if test is None:
                number += 1
                retry = at + 1, number
            elif at < len(names) and test(names[at]):
                at, number = at + 1, number + 1
            elif retry is not None and retry[0] <= len(names):
                at, number = retry
                retry = at + 1, number
            else:
                return False
        return True


def _fails(_name: str) -> None:
    return None


@lru_cache(maxsize=2048)
def compile_glob(pattern: str, *, takes_folders: bool = False) -> Glob:
    """Compile a glob: `**` crosses folders, no slash means any folder, a leading slash only the top."""
    plain = pattern.removeprefix("./").rstrip("/")
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    if "/" not in plain:
        parts = ["**", *parts]
    if parts[-1:] == ["**"]:
        parts.append("*")
    if takes_folders:
        parts.append("**")
    return Glob([None if part == "**" else _name_test(part) for part in parts])


@lru_cache(maxsize=2048)
def _name_test(part: str) -> Callable[[str], object]:
    return re.compile(translate(part.replace("[^", "[!"))).match


def matching(paths: Collection[str], patterns: Sequence[str]) -> list[str]:
    """Return the paths that a pattern matches; if it matches folders only, the files in them."""
    for readings in (patterns, [f"{one}/**" for one in patterns]):
        globs = [compile_glob(one) for one in readings]
        if found := [path for path in paths if any(glob.matches(path) for glob in globs)]:
            return found
    return []


def expand_braces(pattern: str) -> list[str]:
    """Return every alternative of the braces in a pattern; the pattern itself if there are too many."""
    if pattern.count(",") > MAX_ALTERNATIVES:
        return [pattern]
    found = [pattern]
    while any(_BRACES.search(one) for one in found):
        found = [each for one in found for each in _opened(one)]
        if len(found) > MAX_ALTERNATIVES:
            return [pattern]
    return found


def _opened(pattern: str) -> list[str]:
    braces = _BRACES.search(pattern)
    if braces is None:
        return [pattern]
    before, after = pattern[: braces.start()], pattern[braces.end() :]
    return [f"{before}{choice}{after}" for choice in braces[1].split(",")]
