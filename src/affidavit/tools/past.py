"""The tools that know the past of a line: who wrote it, and the commit behind it."""

from dataclasses import dataclass

from affidavit.errors import InputError
from affidavit.ports import BlameLine
from affidavit.records.record import Side
from affidavit.tools.excerpts import clipped
from affidavit.tools.lookup import plain_path, side_named
from affidavit.tools.sides import Answer, Sides, with_note

UNCOMMITTED = "Not committed yet"
NO_HISTORY = "this change has no history to blame: it is a diff without its repository"
MAX_MESSAGE_CHARACTERS = 4_000
MAX_NAMED_FILES = 20


@dataclass(frozen=True)
class PastTools:
    """`get_blame` and `get_commit_of_line` over one change."""

    sides: Sides

    def get_blame(self, file_path: str, line_number: int, branch: str | None = None) -> Answer:
        """Who last changed a line of head, and why; of base for a file that the change deletes."""
        side, note = self._side(file_path, branch)
        path, lines = self._line(file_path, line_number, side)
        found = self.sides.tree(side).blame(path, line_number)
        if found is None:
            raise InputError(NO_HISTORY)
        answer = {
            "file_path": path,
            "line_number": line_number,
            "author": found.author,
            "date": _date(found),
            "commit_sha": found.commit[:12],
            "commit_message": found.summary if _is_committed(found) else UNCOMMITTED,
            "original_line": clipped(lines[line_number - 1]),
        }
        return with_note(answer, note)

    def get_commit_of_line(self, file_path: str, line_number: int, branch: str | None = None) -> Answer:
        """The commit that last changed a line: its whole message, and what it did to the file there."""
        side, note = self._side(file_path, branch)
        path, _ = self._line(file_path, line_number, side)
        found = self.sides.tree(side).line_commit(path, line_number)
        if found is None:
            raise InputError(NO_HISTORY)
        if not _is_committed(found.blame):
            raise InputError(
                f"line {line_number} of {path} is not committed yet: read the diff of the change"
            )
        message = found.message.strip()
        others = [name for name in found.files if name != found.blame.path]
        more = len(others) - MAX_NAMED_FILES
        answer = {
            "file_path": path,
            "line_number": line_number,
            "commit_sha": found.blame.commit[:12],
            "author": found.blame.author,
            "date": _date(found.blame),
            "message": message[:MAX_MESSAGE_CHARACTERS],
            "diff": found.diff,
            "other_files": others[:MAX_NAMED_FILES],
        }
        return with_note(
            answer,
            note,
            "" if len(message) <= MAX_MESSAGE_CHARACTERS else "the message is cut",
            "the diff is cut to what is near the line" if found.is_cut else "",
            f"{more} more files of that commit are not named" if more > 0 else "",
        )

    def _line(self, file_path: str, line_number: int, side: Side) -> tuple[str, list[str]]:
        path, lines = self.sides.text(file_path, side)
        if not 1 <= line_number <= len(lines):
            raise InputError(
                f"{path} has lines 1 to {len(lines)}, so there is no line {line_number} to blame"
            )
        return path, lines

    def _side(self, file_path: str, branch: str | None) -> tuple[Side, str]:
        """The side that is asked for; without one head, and base for a file that the change deletes."""
        if branch is not None:
            return side_named(branch), ""
        plain = plain_path(file_path)
        file = self.sides.change.file_at(plain, "base")
        is_deleted = file is not None and file.head_path is None
        if is_deleted and self.sides.tree("head").entry(plain) is None:
            return "base", "the change deletes this file; this is base"
        return "head", ""


def _date(found: BlameLine) -> str:
    return found.date.replace("+00:00", "Z")


def _is_committed(found: BlameLine) -> bool:
    return bool(found.commit.strip("0"))
