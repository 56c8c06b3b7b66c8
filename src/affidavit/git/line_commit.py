"""From a blamed line to the commit behind it: message, files, and what it did to the file near the line."""

import re
from collections.abc import Callable

from affidavit.git.objects import ObjectStore
from affidavit.ports import BlameLine, LineCommit

MAX_CONTENT_BYTES = 5_000_000
MAX_DIFF_LINES = 120
MAX_LINE_CHARACTERS = 500
MAX_FILES = 1_000
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@")
_DIFF = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "-U3")

Redact = Callable[[bytes], bytes]


def commit_behind(store: ObjectStore, found: BlameLine, redact: Redact = lambda data: data) -> LineCommit:
    """The commit; both contents of the file are redacted whole before they are compared."""
    if not found.commit.strip("0"):
        return LineCommit(blame=found, message="")
    message = store.git.run("log", "-1", "--no-show-signature", "--format=%B", found.commit)
    listed = store.git.run(
        "diff-tree",
        "--root",
        "-r",
        "-z",
        "--no-commit-id",
        "--name-only",
        "-m",
        "--first-parent",
        found.commit,
    )
    names = [name.decode("utf-8", "replace") for name in listed.split(b"\0") if name]
    before = _content(store, f"{found.commit}^", found.before) if found.before else b""
    after = _content(store, found.commit, found.path)
    diff, is_cut = "", False
    if before is not None and after is not None:
        diff, is_cut = _near(_compare(store, redact(before), redact(after)), found.line)
    return LineCommit(
        blame=found,
        message=message.decode("utf-8", "replace"),
        files=tuple(names[:MAX_FILES]),
        diff=diff,
        is_cut=is_cut,
    )


def _content(store: ObjectStore, commit: str, path: str) -> bytes | None:
    """A file of a commit; None where it cannot be read or is too large."""
    named = store.git.attempt("rev-parse", "--verify", "--end-of-options", f"{commit}:{path}")
    blob = named.stdout.decode().strip()
    size = store.size(blob) if named.returncode == 0 and blob else None
    return None if size is None or size > MAX_CONTENT_BYTES else store.read(blob)


def _compare(store: ObjectStore, before: bytes, after: bytes) -> str:
    old, new = store.write_blobs([before, after])
    return store.git.run(*_DIFF, old, new).decode("utf-8", "replace") if old != new else ""


def _near(diff: str, line: int) -> tuple[str, bool]:
    """The hunk that has the line, or what stands around the line in it; and whether that is not all."""
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
