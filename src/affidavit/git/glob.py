"""Match paths against glob patterns in a time that no pattern and no path can blow up.

Both may be hostile. A `*` needs no second try: if the leftmost place of what follows does not lead to a
match, no later one does. So every star but the last becomes an atomic group, which never backtracks.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

MARKS = frozenset("*?[")
_TOKEN = re.compile(r"\*+|\?|\[[!^]?\]?[^\]]*\]|.", re.DOTALL)


def is_glob(path: str) -> bool:
    return not MARKS.isdisjoint(path)


def matches_any(path: str, patterns: Sequence[str]) -> bool:
    """The path is one of these, lies in a folder that is one of these, or matches a pattern."""
    return any(compile_glob(pattern, takes_folders=True).fullmatch(path) for pattern in patterns)


def matches_file(path: str, pattern: str) -> bool:
    """The path itself matches, as in .gitattributes, where a folder says nothing of its files."""
    return compile_glob(pattern).fullmatch(path) is not None


@lru_cache(maxsize=2048)
def compile_glob(pattern: str, *, takes_folders: bool = False) -> re.Pattern[str]:
    """Compile a glob: `**` crosses folders, no slash means any folder, a leading slash only the top."""
    plain = pattern.removeprefix("./").rstrip("/")
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    if "/" not in plain:
        parts = ["**", *parts]
    if parts[-1:] == ["**"]:
        parts.append("*")
    below = "(?:/.*)?" if takes_folders else ""
    return re.compile(_expression(_runs(parts)) + below, re.DOTALL)


def _expression(runs: Sequence[Sequence[str]]) -> str:
    first, *others = map(_joined, runs)
    if not others:
        return first
    *middle, last = others
    head = f"{first}/" if first else ""
    return head + "".join(f"(?>(?:[^/]*/)*?{run}/)" for run in middle if run) + f"(?:[^/]*/)*?{last}"


def _runs(parts: Sequence[str]) -> list[list[str]]:
    """The parts between one `**` and the next."""
    runs: list[list[str]] = [[]]
    for part in parts:
        if part == "**":
            runs.append([])
        else:
            runs[-1].append(part)
    return runs


def _joined(run: Sequence[str]) -> str:
    return "/".join(_segment(part) for part in run)


def _segment(part: str) -> str:
    """One folder or file name, as an atomic group of its own."""
    pieces = [""]
    for token in _TOKEN.findall(part):
        if token[0] == "*":
            pieces.append("")
        else:
            pieces[-1] += _translated(token)
    first, *others = pieces
    if not others:
        return first
    middle = "".join(f"(?>[^/]*?{piece})" for piece in others[:-1] if piece)
    return f"(?>{first}{middle}[^/]*{_ended(others[-1])})"


def _ended(piece: str) -> str:
    # The last piece stands at the end of the name, so the star before it is greedy and gives back once.
    return f"{piece}(?=/|\\Z)" if piece else ""


def _translated(sign: str) -> str:
    if sign == "?":
        return "[^/]"
    if len(sign) < 3 or sign[0] != "[":
        return re.escape(sign)
    is_negated = sign[1] in "!^"
    inside = _escaped_set(sign[2 if is_negated else 1 : -1])
    expression = f"[^/{inside}]" if is_negated else f"(?!/)[{inside}]"
    try:
        re.compile(expression)
    except re.error:
        return re.escape(sign)
    return expression


def _escaped_set(inside: str) -> str:
    """What stands between brackets, for an expression: only its ranges keep a meaning of their own."""
    # Doubled, these are reserved for operations on sets.
    return re.sub(r"[\\\[\]&~|]|-(?=-)", r"\\\g<0>", inside)
