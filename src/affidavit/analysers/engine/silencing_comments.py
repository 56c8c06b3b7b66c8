"""Find the comments of a file that suppress rules, for all tools."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from affidavit.analysers.python_syntax import nodes_in
from affidavit.languages.grammars import parse
from affidavit.languages.registry import LANGUAGES

PYTHON = (".py", ".pyi", ".pyw")
JAVASCRIPT = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte")
TO_THE_END = 10**9

CALLS = ("missing-argument", "unknown-argument", "too-many-positional-arguments")
# The names that other type checkers and linters of Python have for ty's rules.
ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "name-defined reportUndefinedVariable undefined-variable E0602": ("unresolved-reference",),
    "attr-defined reportAttributeAccessIssue": ("missing-attribute", "import-not-found"),
    "union-attr reportOptionalMemberAccess no-member E1101": ("missing-attribute",),
    "import import-not-found import-untyped reportMissingImports": ("import-not-found",),
    "no-name-in-module E0611 import-error E0401": ("import-not-found",),
    "call-arg reportCallIssue": CALLS,
    "reportGeneralTypeIssues": ("missing-attribute", *CALLS),
    "reportUnusedCoroutine unused-coroutine unused-awaitable": ("unused-awaitable",),
    "no-value-for-parameter E1120": ("missing-argument",),
    "unexpected-keyword-arg E1123": ("unknown-argument",),
    "too-many-function-args E1121": ("too-many-positional-arguments",),
}
_OF_TY = {code: names for codes, names in ELSEWHERE.items() for code in codes.split()}
_Span = tuple[int, int, int, int]
"""First line, its column in bytes, last line, the column after the end."""
_WORD = re.compile(r"[\w@/:.-]+")


@dataclass(frozen=True)
class Suppression:
    """A comment that suppresses rules of a tool in the lines from `first` to `last`."""

    line: int
    text: str
    tool: str
    first: int
    last: int
    rules: tuple[str, ...] = ()
    """None: every rule of the tool."""

    def concerns(self, lines: range) -> bool:
        """Return whether one of the lines is suppressed."""
        return self.first < lines.stop and lines.start <= self.last


@dataclass(frozen=True)
class _Kind:
    """One kind of suppression comment: its form, its tool, and how its codes name rules."""

    pattern: re.Pattern[str]
    tool: str
    endings: tuple[str, ...]
    rules_of: Callable[[str], tuple[str, ...]]
    word: re.Pattern[str] = _WORD
    """The pattern of one code among `codes`."""


def _named(tool: str) -> Callable[[str], tuple[str, ...]]:
    return lambda code: (f"{tool}/{code}",)


def _of_type_checker(code: str) -> tuple[str, ...]:
    return tuple(f"ty/{name}" for name in _OF_TY.get(code, (code.removeprefix("ty:"),)))


def _of_eslint(code: str) -> tuple[str, ...]:
    plugin, _, name = code.removeprefix("@").rpartition("/")
    known = {"typescript-eslint": "typescript", "react-hooks": "react", "": "eslint"}
    return (f"oxlint/{known.get(plugin, plugin)}/{name}",)


_NOQA = re.compile(
    r"#\s*(?P<whole>(?:ruff|flake8)\s*:\s*)?noqa\b(?::\s*(?P<codes>[A-Z]+\d*(?:[,\s]+[A-Z]+\d+)*))?",
    re.IGNORECASE,
)
_RUFF = re.compile(r"#\s*ruff\s*:\s*(?P<way>ignore|disable|(?P<whole>file-ignore))\s*\[(?P<codes>[^\]]*)\]")
_TYPES = re.compile(r"#\s*(?:type|(?P<way>ty)|pyright|pyre|mypy)\s*:\s*ignore\b(?:\[(?P<codes>[^\]]*)\])?")
# Settings for the whole file: `# pyright: basic, reportCallIssue=false`, `# mypy: disable-error-code="a, b"`.
_PYRIGHT = re.compile(
    r"#\s*(?P<whole>pyright)\s*:(?P<codes>[^#]*?\breport\w+\s*=\s*(?:false|none)\b[^#]*)", re.IGNORECASE
)
_SWITCHED_OFF = re.compile(r"\breport\w+(?=\s*=\s*(?:false|none)\b)", re.IGNORECASE)
_MYPY = re.compile(r"#\s*(?P<whole>mypy)\s*:\s*disable-error-code\s*=\s*(?P<codes>[\w\s,\"'-]+)")
_PYLINT = re.compile(r"#\s*pylint\s*:\s*disable=(?P<codes>[\w,\s-]+)")
_NOSEC = re.compile(r"#\s*nosec:?\s*(?P<codes>B\d{3}(?:[,\s]+B\d{3})*)?")
_ESLINT = re.compile(
    r"(?://|/\*)\s*(?:eslint|oxlint)-disable(?P<scope>-next-line|-line)?\b(?P<codes>[^*]*?)(?:--|\*/|$)"
)
_TSC = re.compile(r"(?://|/\*)\s*@ts-(?:ignore|expect-error|(?P<whole>nocheck))\b")
_KINDS = (
    _Kind(_NOQA, "ruff", PYTHON, _named("ruff")),
    _Kind(_RUFF, "ruff", PYTHON, _named("ruff")),
    _Kind(_TYPES, "ty", PYTHON, _of_type_checker),
    _Kind(_PYRIGHT, "ty", PYTHON, _of_type_checker, _SWITCHED_OFF),
    _Kind(_MYPY, "ty", PYTHON, _of_type_checker),
    _Kind(_PYLINT, "ty", PYTHON, _of_type_checker),
    _Kind(_NOSEC, "bandit", PYTHON, _named("bandit")),
    _Kind(_ESLINT, "oxlint", JAVASCRIPT, _of_eslint),
    _Kind(_TSC, "tsc", JAVASCRIPT, _named("tsc")),
)
_ENABLED_AGAIN = re.compile(r"(?://|/\*)\s*(?:eslint|oxlint)-enable\b")
# The first letters of all suppression comments.
_WORKING = re.compile(
    rb"(?i)\bnoqa\b|\bnosec|\bruff(?=\s*:\s*(?:file-)?(?:ignore|disable))|\btype(?=\s*:\s*ignore)|\b(?:ty|pyright|pyre|mypy)(?=\s*:\s*ignore)"
    rb"|\bpyright(?=\s*:[^#]*\breport\w+\s*=\s*(?:false|none)\b)|\bmypy(?=\s*:\s*disable-error-code)"
    rb"|\bpylint(?=\s*:\s*disable)|\b(?:eslint|oxlint)(?=-disable)|\bts(?=-(?:ignore|expect-error|nocheck))"
    rb"|\bhadolint(?=\s+(?:global\s+)?(?:ignore|shell)\s*=)|\byamllint(?=\s+disable)|\bzizmor(?=\s*:\s*ignore)"
)
# The disabled rules may follow other keys, which say how the script is read.
_SHELLCHECK = re.compile(rb"#\s*shellcheck\s.*")
_DISABLES = re.compile(rb"\bdisable(?==)")
# A decorator that works like a comment: type checkers skip the function below it.
_UNCHECKED = re.compile(rb"(?P<bare>@\s*)?\bno_type_check\b")
_BEGINS = re.compile(r"(?i)\bruff\s*:\s*disable|\b(?:eslint|oxlint)-disable(?!-)|\byamllint\s+disable(?!-)")
_ENDS = re.compile(r"(?i)\bruff\s*:\s*enable|\b(?:eslint|oxlint)-enable|\byamllint\s+enable")
_COMMENT = re.compile(r"\s*(#|//|/\*|\*)")


def suppressions_in(path: str, lines: Sequence[str]) -> list[Suppression]:
    """Return every comment of the file that suppresses a known rule."""
    kinds = [kind for kind in _KINDS if path.endswith(kind.endings)]
    matching = [
        (number, line, kind, found)
        for number, line in enumerate(lines, start=1)
        for kind in kinds
        for found in kind.pattern.finditer(line)
    ]
    if not matching:
        return []
    comments = _comments_of(path, lines)
    return [
        said
        for number, line, kind, found in matching
        if comments is None or _is_inside(comments, number, len(line[: found.start()].encode()))
        for said in _in_line(kind, found, number, lines)
    ]


def _comments_of(path: str, lines: Sequence[str]) -> list[_Span] | None:
    """Return where the file has comments; None if it does not parse, so that any line may be one.

    The same words in a string suppress nothing.
    """
    parsed_as = LANGUAGES.parsed_as(path)
    root = parse(parsed_as.grammar, "\n".join(lines).encode()) if parsed_as else None
    if root is None or root.has_error:
        return None
    comments = (one for one in nodes_in(root) if "comment" in one.type)
    ends = ((one.start_point, one.end_point) for one in comments)
    return [(first.row + 1, first.column, last.row + 1, last.column) for first, last in ends]


def _is_inside(spans: Sequence[_Span], line: int, column: int) -> bool:
    return any((first, start) <= (line, column) < (last, end) for first, start, last, end in spans)


def _in_line(kind: _Kind, found: re.Match[str], number: int, lines: Sequence[str]) -> Iterator[Suppression]:
    line = lines[number - 1]
    groups = found.groupdict()
    is_alone = not line[: found.start()].strip()
    # Python's tools accept a comment for the whole file only on its own line.
    if kind.endings == PYTHON and groups.get("whole") and not is_alone:
        return
    codes = kind.word.findall(groups.get("codes") or "")
    first, last = _scope(kind, groups, number, lines, is_alone=is_alone)
    rules = tuple(rule for code in codes for rule in kind.rules_of(code))
    yield Suppression(number, found[0].strip(), kind.tool, first, last, rules)


def _scope(
    kind: _Kind, groups: Mapping[str, str | None], number: int, lines: Sequence[str], *, is_alone: bool
) -> tuple[int, int]:
    """Return the lines that a comment suppresses."""
    if groups.get("whole"):
        return 1, TO_THE_END
    scope, way = groups.get("scope"), groups.get("way")
    if kind.tool == "ty" and is_alone:
        # Alone above all code it covers the whole file; elsewhere ty's own covers the code below.
        if all(_is_no_code(line) for line in lines[:number]):
            return 1, TO_THE_END
        return number, _next_code(lines, number) if way else number
    if kind.pattern is _RUFF and is_alone:
        last = _end_of_block(lines, number) if way == "disable" else _next_code(lines, number)
        return number, last
    if kind.tool == "oxlint" and scope is None:
        below = enumerate(lines[number:], start=number + 1)
        return number, next((at for at, line in below if _ENABLED_AGAIN.search(line)), TO_THE_END)
    if kind.tool == "tsc" or scope == "-next-line":
        return number + 1, number + 1
    return number, number


def _is_no_code(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _next_code(lines: Sequence[str], number: int) -> int:
    below = enumerate(lines[number:], start=number + 1)
    return next((at for at, line in below if not _is_no_code(line)), number)


def _end_of_block(lines: Sequence[str], number: int) -> int:
    """Return the end of a suppressed block: the comment that enables the rules again, or its last line."""
    indent = _indent(lines[number - 1])
    for at, line in enumerate(lines[number:], start=number + 1):
        if _ENDS.search(line) or (line.strip() and _indent(line) < indent):
            return at - 1
    return TO_THE_END


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def without_suppressions(content: bytes, lines: Sequence[int]) -> bytes:
    """Disable the comments of these lines without moving anything."""
    rows = content.split(b"\n")
    for number in lines:
        if number <= len(rows):
            rows[number - 1] = _disabled(rows[number - 1])
    return b"\n".join(rows)


def _disabled(row: bytes) -> bytes:
    row = _WORKING.sub(_with_first_letter_crossed, row)
    row = _SHELLCHECK.sub(lambda found: _DISABLES.sub(_with_first_letter_crossed, found[0]), row)
    return _UNCHECKED.sub(_checked, row)


def _with_first_letter_crossed(found: re.Match[bytes]) -> bytes:
    return b"x" + found[0][1:]


def _checked(found: re.Match[bytes]) -> bytes:
    """Return a decorator of the same length that changes nothing."""
    instead = b"@(lambda f:f)" if found["bare"] else b"final"
    return instead.ljust(len(found[0]))


def has_suppression(line: str) -> bool:
    """Return whether the line has a comment that suppresses rules of some tool."""
    row = line.encode("utf-8", "replace")
    return _disabled(row) != row


def begins_silence(line: str) -> bool:
    """Return whether the line has a comment that begins a suppressed block."""
    return _BEGINS.search(line) is not None


def ends_silence(line: str) -> bool:
    """Return whether the line has a comment that ends a suppressed block."""
    return _ENDS.search(line) is not None


def is_comment(line: str) -> bool:
    """Return whether the line is only a comment, so that it is about other lines."""
    return _COMMENT.match(line) is not None
