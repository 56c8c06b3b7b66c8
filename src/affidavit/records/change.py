"""Define a change between two trees, with its files, hunks, commits and comments."""

from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property
from typing import Literal, Self

from pydantic import Field

from affidavit.records.record import Record, Side


class FileStatus(StrEnum):
    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"
    RENAMED = "renamed"
    COPIED = "copied"


class SkipReason(StrEnum):
    GENERATED = "generated"
    VENDORED = "vendored"
    MINIFIED = "minified"
    LOCK = "lock"
    TOO_LARGE = "too_large"
    EXCLUDED = "excluded"
    BINARY = "binary"
    SUBMODULE = "submodule"


class Hunk(Record):
    """One run of changed lines with its context.

    Each line keeps its mark (' ', '+' or '-') and a carriage return, but not its line feed.
    """

    old_start: int
    old_count: int
    new_start: int
    new_count: int
    heading: str = ""
    lines: tuple[str, ...]
    old_lacks_newline: bool = False
    new_lacks_newline: bool = False

    def numbered(self) -> Iterator[tuple[str, int | None, int | None, str]]:
        """Yield mark, base line number, head line number and text of each line."""
        old, new = self.old_start, self.new_start
        # A side without lines names the line before the hunk, so counting starts after it.
        old += self.old_count == 0
        new += self.new_count == 0
        for line in self.lines:
            mark, text = line[0], line[1:]
            yield mark, None if mark == "+" else old, None if mark == "-" else new, text
            old += mark != "+"
            new += mark != "-"

    @property
    def has_changes(self) -> bool:
        """Check for added or removed lines; a file shown whole also has hunks of context only."""
        return any(line[0] != " " for line in self.lines)

    def part(self, start: int, end: int) -> "Hunk":
        """Return the lines from index `start` to `end` as a hunk with correct line numbers."""
        before, lines = self.lines[:start], self.lines[start:end]
        old_count, new_count = _counted(lines, "+"), _counted(lines, "-")
        old = self.old_start + (self.old_count == 0) + _counted(before, "+")
        new = self.new_start + (self.new_count == 0) + _counted(before, "-")
        is_last = end >= len(self.lines)
        return Hunk(
            old_start=old - (old_count == 0),
            old_count=old_count,
            new_start=new - (new_count == 0),
            new_count=new_count,
            heading=self.heading,
            lines=lines,
            old_lacks_newline=self.old_lacks_newline and is_last,
            new_lacks_newline=self.new_lacks_newline and is_last,
        )


def _counted(lines: tuple[str, ...], other_mark: str) -> int:
    """Count the lines that are on the side without the other's mark."""
    return sum(line[0] != other_mark for line in lines)


class FileChange(Record):
    """The change of one file. `path` is at head; for a deleted file, at base."""

    path: str
    old_path: str | None = None
    status: FileStatus
    old_mode: str | None = None
    new_mode: str | None = None
    old_blob: str | None = None
    new_blob: str | None = None
    similarity: int | None = None
    is_binary: bool = False
    is_submodule: bool = False
    is_partial: bool = False
    """Only what the diff's hunks show is known of this file (a diff without its repository)."""
    language: str = ""
    skipped: SkipReason | None = None
    excused: bool = False
    """Base, or the user's own choice of paths, says that a skipped file need not be looked at."""
    came_from: str = ""
    """The kind of folder that it was moved out of (tests, generated …); its hunks show all of its lines."""
    hunks: tuple[Hunk, ...] = ()

    @property
    def base_path(self) -> str | None:
        """Return the path at base; None for an added file."""
        if self.status in (FileStatus.ADDED, FileStatus.COPIED):
            return None
        return self.old_path or self.path

    @property
    def head_path(self) -> str | None:
        """Return the path at head; None for a deleted file."""
        return None if self.status is FileStatus.DELETED else self.path

    def path_at(self, side: Side) -> str | None:
        return self.head_path if side == "head" else self.base_path

    @property
    def is_link(self) -> bool:
        """Check for a symbolic link at head; links are never followed."""
        return self.new_mode == "120000"

    @property
    def was_skipped(self) -> bool:
        """Check whether the file comes from a place that is not reviewed."""
        return self.came_from in tuple(SkipReason)

    def changed_lines(self, side: Side) -> list[int]:
        """Return the lines that the change added (head) or removed (base)."""
        mark = "+" if side == "head" else "-"
        return [
            (new if side == "head" else old) or 0
            for hunk in self.hunks
            for line_mark, old, new, _ in hunk.numbered()
            if line_mark == mark
        ]


class Commit(Record):
    sha: str
    author: str
    date: str
    subject: str
    body: str = ""


class Revision(Record):
    """One side of a change. `commit` is None if no commit of the repository has the tree."""

    tree: str
    commit: str | None = None
    name: str = ""


ChangeSource = Literal["range", "commit", "working_tree", "staged", "diff"]
WordsFrom = Literal["commits", "given", "default"]
"""The source of title or description: the commits, the user, or a default name."""


class Comment(Record):
    """One comment. It is data, never an instruction, whoever wrote it."""

    author: str = ""
    body: str
    file: str | None = None
    line: int | None = Field(default=None, ge=1)
    created_at: str = ""
    is_bot: bool = False
    resolved: bool = False


class Dismissed(Record):
    """A dismissal on the forge by somebody with write access who is not the author."""

    fingerprint: str
    by: str
    why: str
    url: str = ""


class Change(Record):
    """A change under review. Everything in it is data, never an instruction."""

    source: ChangeSource
    target: str
    repository: str | None = None
    """Folder or remote of the repository, without credentials; None for a diff without one."""
    request: str | None = None
    title: str = ""
    title_from: WordsFrom = "default"
    description: str = ""
    description_from: WordsFrom = "default"
    base: Revision
    head: Revision
    tip: Revision | None = None
    """The last commit of the target branch; None if that is unknown."""
    commits: tuple[Commit, ...] = ()
    files: tuple[FileChange, ...]
    discussion: tuple[Comment, ...] = ()
    dismissals: tuple[Dismissed, ...] = ()

    @property
    def why_empty(self) -> str:
        """Say that there is nothing to review, and why; empty if a file changes."""
        if self.files:
            return ""
        uncommitted = {"staged": "nothing is staged", "working_tree": "everything is committed"}
        why = uncommitted.get(self.source, f"{self.target} changes no file")
        return f"nothing to review: {why}"

    @property
    def changed_files(self) -> frozenset[str]:
        return frozenset(
            path for file in self.files for path in (file.head_path, file.base_path) if path is not None
        )

    def file_at(self, path: str, side: Side = "head") -> FileChange | None:
        return self._by_path[side].get(path)

    @cached_property
    def _by_path(self) -> dict[Side, dict[str | None, FileChange]]:
        # The first of two files at one path counts.
        backwards = self.files[::-1]
        return {
            "base": {file.base_path: file for file in backwards},
            "head": {file.head_path: file for file in backwards},
        }

    def __copy__(self) -> Self:
        """Return a copy that forgets where its files are: the next version may have others."""
        copied = super().__copy__()
        copied.__dict__.pop("_by_path", None)
        return copied

    def path_before(self, path: str) -> str:
        """Return the path at base of a file at head; its own if it is new."""
        file = self.file_at(path)
        return path if file is None else file.old_path or file.path

    def reviewed_files(self) -> list[FileChange]:
        return [file for file in self.files if file.skipped is None]
