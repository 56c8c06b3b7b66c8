"""Match paths against glob patterns in a time that no pattern and no path can blow up.

Both may be hostile. A `*` needs no second try: if the leftmost place of what follows does not lead to a
match, no later one does. So every star but the last becomes an atomic group, which never backtracks.
"""

import re
from collections.abc import Sequence

from affidavit.git.paths import escaped_set

_TOKEN = re.compile(r"\*+|\?|\[[!^]?\]?[^\]]*\]|.", re.DOTALL)


def compile_glob(pattern: str) -> re.Pattern[str]:
    """`*` stays within a folder, `**` crosses folders, a pattern without a slash means a name anywhere."""
    parts = [part for part in pattern.strip("/").split("/") if part not in ("", ".")]
    if len(parts) == 1:
        parts = ["**", *parts]
    if parts and parts[-1] == "**":
        parts.append("*")
    runs = _runs(parts)
    first, *others = runs
    expression = "/".join(_segment(part) for part in first)
    if not others:
        return re.compile(expression, re.DOTALL)
    head = f"{expression}/" if first else ""
    middle = "".join(f"(?>(?:[^/]*/)*?{_joined(run)}/)" for run in others[:-1] if run)
    return re.compile(f"{head}{middle}(?:[^/]*/)*?{_joined(others[-1])}", re.DOTALL)


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
    inside = escaped_set(sign[2 if is_negated else 1 : -1])
    expression = f"[^/{inside}]" if is_negated else f"(?!/)[{inside}]"
    try:
        re.compile(expression)
    except re.error:
        return re.escape(sign)
    return expression
