"""Ask git who last changed lines, and what the commit behind a line did there."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from affidavit.git.objects import ObjectStore
from affidavit.git.secrets import Secrets
from affidavit.ports import BlameLine, LineCommit
from affidavit.redaction.text import redact_text

MAX_CONTENT_BYTES = 5_000_000
MAX_DIFF_LINES = 120
MAX_LINE_CHARACTERS = 500
MAX_FILES = 1_000
_HEADER = re.compile(r"([0-9a-f]{40,64}) (\d+) (\d+)(?: \d+)?")
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_FILES = ("diff-tree", "--root", "-r", "-z", "--no-commit-id", "--name-only", "-m", "--first-parent")
_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "-U3")


@dataclass(frozen=True)
class BlamedLine:
    """A line, the commit that last changed it, and git's description of that commit."""

    line: int
    original_line: int
    commit: str
    about: Mapping[str, str]

    @property
    def date(self) -> str:
        return datetime.fromtimestamp(int(self.about.get("author-time", "0")), UTC).isoformat()


def blame(
    store: ObjectStore,
    commit: str,
    path: bytes,
    ranges: Sequence[tuple[int, int]],
    timeout_seconds: float,
) -> Iterator[BlamedLine]:
    """Yield the lines of some ranges of a file."""
    places = [f"-L{first},{last}" for first, last in ranges]
    options = ("blame", "--porcelain", "--no-textconv", "--root", *places)
    printed = store.git.run(*options, commit, "--", path, timeout_seconds=timeout_seconds)
    headers: dict[str, dict[str, str]] = {}
    sha, original, line = "", 0, 0
    for row in printed.decode("utf-8", "replace").split("\n"):
        if row.startswith("\t"):
            yield BlamedLine(line, original, sha, headers[sha])
        elif header := _HEADER.fullmatch(row):
            sha, original, line = header[1], int(header[2]), int(header[3])
            headers.setdefault(sha, {})
        elif sha:
            # Git describes a commit only at its first line.
            name, _, value = row.partition(" ")
            headers[sha].setdefault(name, value)


def commit_behind(
    store: ObjectStore, found: BlameLine, redact: Callable[[str], str], secrets: Secrets
) -> LineCommit:
    """Return the commit without secrets; both contents of the file are redacted whole, then compared."""
    if not found.commit.strip("0"):
        return LineCommit(blame=found, message="")
    message = store.git.run("log", "-1", "--no-show-signature", "--format=%B", found.commit)
    listed = store.git.run(*_FILES, found.commit)
    names = [name.decode("utf-8", "replace") for name in listed.split(b"\0") if name]
    before = _content(store, f"{found.commit}^", found.before) if found.before else b""
    after = _content(store, found.commit, found.path)
    diff, is_cut = "", False
    if before is not None and after is not None:
        shown = secrets.redact_versions(found.path, before, after)
        diff, is_cut = _near(_compare(store, *shown), found.line)
    return LineCommit(
        blame=found,
        message=redact(message.decode("utf-8", "replace")),
        files=tuple(map(redact_text, names[:MAX_FILES])),
        diff=diff,
        is_cut=is_cut,
    )


def _content(store: ObjectStore, commit: str, path: str) -> bytes | None:
    """Return a file of a commit; None if it cannot be read or is too large."""
    named = store.git.attempt("rev-parse", "--verify", "--end-of-options", f"{commit}:{path}")
    blob = named.stdout.decode().strip()
    size = store.size(blob) if named.returncode == 0 and blob else None
    return None if size is None or size > MAX_CONTENT_BYTES else store.read(blob)


def _compare(store: ObjectStore, before: bytes, after: bytes) -> str:
    old, new = store.write_blobs([before, after])
    return store.git.run(*_DIFF, old, new).decode("utf-8", "replace") if old != new else ""


def _near(diff: str, line: int) -> tuple[str, bool]:
    """Return the hunk with the line, cut around it if it is long, and whether that is not all."""
    hunks = [f"@@{part}" for part in f"\n{diff}".split("\n@@")[1:]]
    chosen = next((hunk for hunk in hunks if _has(hunk, line)), hunks[0] if hunks else "")
    rows = [row[:MAX_LINE_CHARACTERS] for row in chosen.rstrip("\n").split("\n")]
    if len(rows) <= MAX_DIFF_LINES:
        return "\n".join(rows), len(hunks) > 1
    at = _row_of(rows, line)
    first = max(1, min(at - MAX_DIFF_LINES // 2, len(rows) - MAX_DIFF_LINES))
    return "\n".join([rows[0], *rows[first : first + MAX_DIFF_LINES]]), True


def _has(hunk: str, line: int) -> bool:
    header = _HUNK.match(hunk)
    if header is None:
        return False
    first, count = int(header[1]), int(header[2] or 1)
    return first <= line < first + count


def _row_of(rows: list[str], line: int) -> int:
    header = _HUNK.match(rows[0])
    number = int(header[1]) - 1 if header else 0
    for at, row in enumerate(rows[1:], start=1):
        number += not row.startswith(("-", "\\"))
        if number >= line:
            return at
    return len(rows)
