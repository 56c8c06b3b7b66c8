"""Paths as git has them (bytes) and as Affidavit shows them (text), and which of them are safe to write."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

GLOB_MARKS = frozenset("*?[")


def decode_path(raw: bytes) -> str:
    """A path as text: UTF-8, and escapes for bytes that are not."""
    return raw.decode("utf-8", "backslashreplace")


def is_safe_path(path: str) -> bool:
    """Writing this path below a folder cannot leave the folder or forge a repository."""
    if not path or path.startswith("/") or "\0" in path or "\\" in path:
        return False
    return all(_is_safe_part(part) for part in path.split("/"))


def _is_safe_part(part: str) -> bool:
    # File systems that ignore case, invisible letters, trailing dots or short names take more for .git.
    visible = part if part.isascii() else "".join(c for c in part if unicodedata.category(c) != "Cf")
    plain = visible.lower().rstrip(". ")
    return bool(plain) and plain not in ("..", ".", ".git", "git~1") and not plain.startswith(".git:")


def is_glob(path: str) -> bool:
    """The path is a pattern."""
    return not GLOB_MARKS.isdisjoint(path)


def rooted_glob(pattern: str) -> str:
    """A pattern without a slash means a name in any folder, as in .gitignore."""
    return pattern if "/" in pattern else f"**/{pattern}"


def matches_any(path: str, patterns: Sequence[str]) -> bool:
    """The path is one of these, lies in a folder that is one of these, or matches a pattern."""
    return any(_expression(pattern, takes_folders=True).fullmatch(path) for pattern in patterns)


def matches_file(path: str, pattern: str) -> bool:
    """The path itself matches, as in .gitattributes, where a folder says nothing of its files."""
    return _expression(pattern, takes_folders=False).fullmatch(path) is not None


@lru_cache(maxsize=512)
def _expression(pattern: str, *, takes_folders: bool) -> re.Pattern[str]:
    plain = pattern.removeprefix("./").rstrip("/")
    # A slash at the beginning says that the pattern holds at the top only.
    rooted = plain[1:] if plain.startswith("/") else rooted_glob(plain)
    expression = "".join(_translated(token) for token in _TOKENS.findall(rooted))
    return re.compile(expression + (r"(?:/.*)?" if takes_folders else ""), re.DOTALL)


def escaped_set(inside: str) -> str:
    """What stands between brackets, for an expression: only its ranges keep a meaning of their own."""
    # Doubled, these are reserved for operations on sets.
    return re.sub(r"[\\\[\]&~|]|-(?=-)", r"\\\g<0>", inside)


_TOKENS = re.compile(r"\*\*/|\*\*|\*|\?|\[[!^]?\]?[^\]/]*\]|.", re.DOTALL)


def _translated(token: str) -> str:
    fixed = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(token)
    if fixed is not None:
        return fixed
    if len(token) < 3:
        return re.escape(token)
    negated = token[1] in "!^"
    inside = escaped_set(token[2 if negated else 1 : -1])
    try:
        re.compile(f"[{inside}]")
    except re.error:
        return re.escape(token)
    return f"[^/{inside}]" if negated else f"[{inside}]"
