"""A change that can be committed with one click: only of a patch that was tried and holds.

A patch in, the lines of the diff that it replaces and what stands there instead out; none where the forge
could not show it truly.
"""

import re
from dataclasses import dataclass

from affidavit.diff.parse import parse_diff
from affidavit.errors import InputError
from affidavit.git.paths import decode_path
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change, FileChange, Hunk
from affidavit.render.safe_text import visible

MAX_LINES = 30


@dataclass(frozen=True)
class Suggested:
    """The lines at head that are replaced, and what by."""

    start: int
    end: int
    lines: tuple[str, ...]

    def block(self, style: str) -> str:
        """As a forge reads it; GitLab counts the lines above the one that is commented on."""
        longest = max((len(run) for line in self.lines for run in _runs(line)), default=0)
        fence = "`" * max(3, longest + 1)
        name = "suggestion" if style == "lines" else f"suggestion:-{self.end - self.start}+0"
        return "\n".join([f"{fence}{name}", *self.lines, fence])


def suggestion_of(candidate: Candidate, change: Change) -> Suggested | None:
    """What the finding's patch suggests, where it was tried, holds, and touches one run of shown lines."""
    evidence = candidate.finding.verification if candidate.finding else None
    patch = evidence.patch if evidence else None
    if not patch or candidate.patch_trial is None or not candidate.patch_trial.holds:
        return None
    try:
        files = parse_diff(patch.encode())
    except InputError:
        return None
    if len(files) != 1 or len(files[0].hunks) != 1 or candidate.finding is None:
        return None
    path = decode_path(files[0].name)
    file = change.file_at(path, "head")
    replaced = _replaced(files[0].hunks[0].to_record())
    if file is None or replaced is None or path != candidate.finding.file:
        return None
    old, suggested = replaced
    return suggested if _is_shown(file, suggested, old) and _is_plain(suggested) else None


def _replaced(hunk: Hunk) -> tuple[list[str], Suggested] | None:
    """The lines from the first change of a hunk to the last, and what the patch makes of them."""
    rows = list(hunk.numbered())
    changed = [at for at, row in enumerate(rows) if row[0] != " "]
    if not changed:
        return None
    first, last = changed[0], changed[-1]
    if all(rows[at][1] is None for at in range(first, last + 1)):
        # Lines are only added: a forge replaces lines, so the one before is said again.
        if first == 0:
            return None
        first -= 1
    part = rows[first : last + 1]
    old = [(number, text) for _, number, _, text in part if number is not None]
    new = tuple(text for mark, _, _, text in part if mark != "-")
    return [text for _, text in old], Suggested(old[0][0], old[-1][0], new)


def _is_shown(file: FileChange, suggested: Suggested, old: list[str]) -> bool:
    """The diff shows all of these lines, in one hunk, with this very text: numbers of a patch may be off."""
    wanted = dict(zip(range(suggested.start, suggested.end + 1), old, strict=False))
    for hunk in file.hunks:
        shown = {new: text for _, _, new, text in hunk.numbered() if new is not None}
        if wanted.items() <= shown.items() and len(wanted) == len(old):
            return True
    return False


def _is_plain(suggested: Suggested) -> bool:
    """Nothing in it is hidden, cut or read as a command: what is committed is what is seen."""
    return len(suggested.lines) <= MAX_LINES and not any(
        visible(line, keep="\t") != line or line.startswith("/") or "[redacted:" in line
        for line in suggested.lines
    )


def _runs(line: str) -> list[str]:
    return re.findall("`+", line)
