"""Read a unified diff: its files and hunks, or the line that is wrong."""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NoReturn, TypeVar

from affidavit.diff import names as diff_names
from affidavit.diff.hunks import RawHunk, parse_header
from affidavit.errors import EmptyChangeError, MalformedDiffError
from affidavit.git.text import decode_path
from affidavit.git.tree import SUBMODULE_MODE
from affidavit.records.change import FileChange, FileStatus

Read = TypeVar("Read")


@dataclass
class FileDiff:
    """The part of a diff about one file. A name is None on the side that lacks the file."""

    line_number: int
    old_name: bytes | None = None
    new_name: bytes | None = None
    status: FileStatus = FileStatus.MODIFIED
    old_mode: str | None = None
    new_mode: str | None = None
    old_blob: str | None = None
    new_blob: str | None = None
    similarity: int | None = None
    is_binary: bool = False
    follows_text: bool = False
    """Whether text precedes this file, so that another patch may begin here."""
    hunks: list[RawHunk] = field(default_factory=list)

    @property
    def name(self) -> bytes:
        """Return the name at head; for a deleted file, at base."""
        return self.new_name or self.old_name or b""

    @property
    def is_submodule(self) -> bool:
        """Check whether the file is a link to a commit of another repository."""
        return SUBMODULE_MODE in (self.old_mode, self.new_mode)

    def to_record(self, language: str, *, is_partial: bool = False) -> FileChange:
        is_move = self.status in (FileStatus.RENAMED, FileStatus.COPIED)
        return FileChange(
            path=decode_path(self.name),
            old_path=decode_path(self.old_name or b"") if is_move else None,
            status=self.status,
            old_mode=self.old_mode,
            new_mode=self.new_mode,
            old_blob=self.old_blob,
            new_blob=self.new_blob,
            similarity=self.similarity,
            is_binary=self.is_binary,
            is_submodule=self.is_submodule,
            is_partial=is_partial,
            language=language,
            hunks=tuple(hunk.to_record() for hunk in self.hunks),
        )


def parse_diff(data: bytes) -> list[FileDiff]:
    """Read a diff and skip the prose around it; raises MalformedDiffError or EmptyChangeError."""
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data.strip():
        raise EmptyChangeError("nothing to review: the diff is empty")
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    # Headers never end in a carriage return: where every line does, the whole text was converted.
    if all(line.endswith(b"\r") for line in lines):
        lines = [line[:-1] for line in lines]
    return _Parser(lines).files()


_INDEX = re.compile(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d{6}))?")
_MODE = re.compile(rb"(old mode|new mode|deleted file mode|new file mode) (\d{6})")
_SIMILARITY = re.compile(rb"(?:dis)?similarity index (\d{1,3})%")
_MOVE = re.compile(rb"(rename|copy) (from|to) (.+)", re.DOTALL)
_BINARY = re.compile(rb"Binary files (.+) and (.+) differ", re.DOTALL)
_BINARY_PART = re.compile(rb"(?:literal|delta) \d+")
_BINARY_LINE = re.compile(rb"[A-Za-z][0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]+")
_UNSHOWN = re.compile(rb"Binary files .+ and .+ differ|Submodule .+ [0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}")
_COMBINED = (b"diff --cc ", b"diff --combined ", b"@@@ -")
# The ids of an empty file, in both of git's object formats.
_EMPTY_BLOBS = (
    b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391",
    b"473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813",
)
_EPOCH = (b"1970-01-01 ", b"1969-12-31 ")
_SIDES: dict[bytes, tuple[bytes, ...]] = {b"-": (b"-",), b"+": (b"+",), b" ": (b"-", b"+")}
"""The sides of a line by its mark; `-` is old, `+` is new."""


class _Parser:
    """Reads the lines, one file at a time."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._at = 0

    def files(self) -> list[FileDiff]:
        found: list[FileDiff] = []
        follows_text = False
        while self._at < len(self._lines):
            file = self._next_file()
            if file is not None:
                file.follows_text = follows_text
                found.append(file)
            follows_text = file is None
        if not found:
            self._at = 0
            self._refuse(f"this is not a diff: {_why_no_file(self._lines[0])}")
        return found

    def _next_file(self) -> FileDiff | None:
        line = self._line()
        if line.startswith(_COMBINED):
            self._refuse("a combined diff (of a merge) cannot be reviewed; give a diff of two versions")
        if line.startswith(b"diff --git "):
            return self._git_file()
        if line.startswith(b"--- ") and self._line(1).startswith(b"+++ "):
            return self._plain_file()
        if line.startswith(b"--- ") and self._line(1).startswith(b"@@ -"):
            self._refuse("a +++ line is missing after this")
        if line.startswith(b"@@ -"):
            self._refuse("a hunk without the names of its file")
        if _UNSHOWN.match(line):
            self._refuse("this file is not shown: make the diff with `git diff --submodule=short`")
        self._at += 1
        return None

    # Files with a `diff --git` line

    def _git_file(self) -> FileDiff | None:
        file = FileDiff(self._at + 1)
        names = self._read(diff_names.header_names, self._line()[len(b"diff --git ") :])
        self._at += 1
        has_headers = self._extended_headers(file)
        if names and file.status not in (FileStatus.RENAMED, FileStatus.COPIED):
            file.old_name, file.new_name = names[0], names[1]
        has_body = self._git_body(file)
        if not has_headers and not has_body:
            # Git prints only a header for a file whose time stamp alone changed.
            return None
        self._settle_names(file)
        if not has_body:
            self._refuse_lost_hunks(file)
        return file

    def _refuse_lost_hunks(self, file: FileDiff) -> None:
        for position in range(file.line_number, self._at):
            index = _INDEX.fullmatch(self._lines[position])
            if index and _changes_content(file, index.group(1), index.group(2)):
                self._at = position
                self._refuse("the content of this file changes, but no hunk says how")

    def _extended_headers(self, file: FileDiff) -> bool:
        start = self._at
        while self._extended_header(file, self._line()):
            self._at += 1
        moved = file.status in (FileStatus.RENAMED, FileStatus.COPIED)
        if moved and (file.old_name is None or file.new_name is None):
            self._refuse("a rename or copy needs both its names")
        return self._at > start

    def _extended_header(self, file: FileDiff, line: bytes) -> bool:
        if mode := _MODE.fullmatch(line):
            _set_mode(file, mode.group(1), mode.group(2).decode())
        elif similarity := _SIMILARITY.fullmatch(line):
            file.similarity = int(similarity.group(1))
        elif move := _MOVE.fullmatch(line):
            file.status = FileStatus.RENAMED if move.group(1) == b"rename" else FileStatus.COPIED
            name = self._read(diff_names.unquoted, move.group(3))
            if move.group(2) == b"from":
                file.old_name = name
            else:
                file.new_name = name
        elif index := _INDEX.fullmatch(line):
            file.old_blob, file.new_blob = _full_id(index.group(1)), _full_id(index.group(2))
            if index.group(3):
                file.old_mode = file.new_mode = index.group(3).decode()
        else:
            return False
        return True

    def _git_body(self, file: FileDiff) -> bool:
        line = self._line()
        if line == b"GIT binary patch":
            file.is_binary = True
            self._binary_patch()
        elif _BINARY.fullmatch(line):
            file.is_binary = True
            self._at += 1
        elif line.startswith(b"--- ") and self._line(1).startswith(b"+++ "):
            self._git_labels(file)
            self._hunks(file)
        elif line.startswith((b"--- ", b"+++ ", b"@@ -")):
            self._refuse("a --- line and a +++ line must come before the hunks")
        else:
            return False
        return True

    def _git_labels(self, file: FileDiff) -> None:
        sides = []
        for known in (file.old_name, file.new_name):
            name, _ = self._read(diff_names.label_name, self._line()[4:])
            if known is not None and name != diff_names.ABSENT and not diff_names.belongs(name, known):
                self._refuse("this name differs from the one in the file's header")
            sides.append(name)
            self._at += 1
        if file.old_name is None and file.new_name is None:
            file.old_name, file.new_name = diff_names.plain_names(*sides)
        if diff_names.ABSENT in sides and file.status is FileStatus.MODIFIED:
            file.status = FileStatus.ADDED if sides[0] == diff_names.ABSENT else FileStatus.DELETED

    def _binary_patch(self) -> None:
        self._at += 1
        if not _BINARY_PART.fullmatch(self._line()):
            self._refuse("a binary patch begins with 'literal' or 'delta' and a size")
        while _BINARY_PART.fullmatch(self._line()):
            self._at += 1
            while self._line():
                if not _BINARY_LINE.fullmatch(self._line()):
                    self._refuse("this does not belong in a binary patch")
                self._at += 1
            self._at += 1

    def _settle_names(self, file: FileDiff) -> None:
        if file.status is FileStatus.ADDED:
            file.old_name = None
        if file.status is FileStatus.DELETED:
            file.new_name = None
        self._check_names(file)

    # Files with `---` and `+++` lines only

    def _plain_file(self) -> FileDiff:
        file = FileDiff(self._at + 1)
        old, old_stamp = self._read(diff_names.label_name, self._line()[4:])
        self._at += 1
        new, new_stamp = self._read(diff_names.label_name, self._line()[4:])
        self._at += 1
        file.old_name, file.new_name = diff_names.plain_names(old, new)
        if file.old_name is None:
            file.status = FileStatus.ADDED
        elif file.new_name is None:
            file.status = FileStatus.DELETED
        elif file.old_name != file.new_name:
            file.status = FileStatus.RENAMED
        self._check_names(file)
        self._hunks(file)
        only = file.hunks[0]
        # With a time stamp of zero, diff -N says that a side lacks the file.
        if old_stamp.startswith(_EPOCH) and only.old_start == only.old_count == 0:
            file.status, file.old_name = FileStatus.ADDED, None
        if new_stamp.startswith(_EPOCH) and only.new_start == only.new_count == 0:
            file.status, file.new_name = FileStatus.DELETED, None
        return file

    def _check_names(self, file: FileDiff) -> None:
        names = [name for name in (file.old_name, file.new_name) if name is not None]
        self._at, here = file.line_number - 1, self._at
        if not names:
            self._refuse("the headers do not give the name of the file")
        for name in names:
            if not diff_names.is_acceptable(name):
                self._refuse(f"the name {decode_path(name)!r} is not inside a repository")
        self._at = here

    # Hunks

    def _hunks(self, file: FileDiff) -> None:
        if not self._line().startswith(b"@@ -"):
            self._refuse_combined_hunk()
            self._refuse("a hunk (@@ -… +… @@) must follow the names")
        while self._line().startswith(b"@@ -"):
            header = self._read(parse_header, self._line())
            self._check_place(file, header)
            self._at += 1
            file.hunks.append(self._with_lines(header))
        self._refuse_combined_hunk()
        line = self._line()
        is_next = line.startswith(b"--- ") and self._line(1).startswith(b"+++ ")
        # A mail ends with "-- " and the version of git.
        if line[:1] in (b"+", b"-", b" ") and line not in (b"-- ", b"--", b"---") and not is_next:
            self._refuse("the hunk has more lines than its header says")

    def _refuse_combined_hunk(self) -> None:
        if self._line().startswith(_COMBINED):
            self._refuse("a combined diff (of a merge) cannot be reviewed; give a diff of two versions")

    def _check_place(self, file: FileDiff, header: RawHunk) -> None:
        if file.status is FileStatus.ADDED and header.old_count:
            self._refuse("a new file has no old lines")
        if file.status is FileStatus.DELETED and header.new_count:
            self._refuse("a deleted file has no new lines")
        if not file.hunks:
            return
        last = file.hunks[-1]
        old_end, new_end = last.old_start + last.old_count, last.new_start + last.new_count
        if last.old_lacks_newline or last.new_lacks_newline:
            self._refuse("a hunk follows the end of the file")
        if header.old_start < old_end or header.new_start < new_end:
            self._refuse("the hunk overlaps the one before, or is in the wrong order")

    def _with_lines(self, hunk: RawHunk) -> RawHunk:
        """Read as many lines as the header counts; `\\ No newline at end of file` counts as none."""
        left = {b"-": hunk.old_count, b"+": hunk.new_count}
        ended: set[bytes] = set()
        lines: list[bytes] = []
        while any(left.values()) or (lines and self._line().startswith(b"\\ ")):
            if self._at >= len(self._lines):
                self._refuse("the diff ends inside a hunk")
            # Mail programs strip the blank of an empty context line; git apply reads it the same way.
            line = self._line() or b" "
            if line.startswith(b"\\ ") and lines:
                ended.update(_SIDES[lines[-1][:1]])
            else:
                for side in self._read(_sides_of, line):
                    left[side] -= 1
                    if left[side] < 0:
                        self._refuse("the hunk has more lines on one side than its header says")
                    if side in ended:
                        self._refuse("a line follows the end of the file")
                lines.append(line)
            self._at += 1
        return replace(
            hunk, lines=tuple(lines), old_lacks_newline=b"-" in ended, new_lacks_newline=b"+" in ended
        )

    # The walk itself

    def _line(self, ahead: int = 0) -> bytes:
        position = self._at + ahead
        return self._lines[position] if position < len(self._lines) else b""

    def _read(self, reader: Callable[[bytes], Read], text: bytes) -> Read:
        try:
            return reader(text)
        except ValueError as error:
            self._refuse(str(error))

    def _refuse(self, reason: str) -> NoReturn:
        position = min(self._at, len(self._lines) - 1)
        text = self._lines[position].decode("utf-8", "backslashreplace")
        raise MalformedDiffError(reason, position + 1, text)


def _sides_of(line: bytes) -> tuple[bytes, ...]:
    if line[:1] not in _SIDES:
        raise ValueError("a line inside a hunk begins with a blank, +, - or \\")
    return _SIDES[line[:1]]


def _set_mode(file: FileDiff, header: bytes, mode: str) -> None:
    if header in (b"old mode", b"deleted file mode"):
        file.old_mode = mode
    else:
        file.new_mode = mode
    if header == b"deleted file mode":
        file.status = FileStatus.DELETED
    if header == b"new file mode":
        file.status = FileStatus.ADDED


def _full_id(name: bytes) -> str | None:
    """Return the id of an object; None if it is shortened, as it then may mean several."""
    return name.decode() if len(name) in (40, 64) and name.strip(b"0") else None


def _changes_content(file: FileDiff, old: bytes, new: bytes) -> bool:
    """Check whether the ids of an index line promise hunks; empty files and -w have none to show."""
    if file.status is FileStatus.ADDED:
        return not _is_empty_blob(new)
    if file.status is FileStatus.DELETED:
        return not _is_empty_blob(old)
    # With -w, git prints the headers of a new mode or name even if no line is left to show.
    return old != new and file.status is FileStatus.MODIFIED and file.old_mode == file.new_mode


def _is_empty_blob(shortened: bytes) -> bool:
    return any(known.startswith(shortened) for known in _EMPTY_BLOBS)


def _why_no_file(first_line: bytes) -> str:
    if first_line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "it is UTF-16 text; write it as UTF-8, for instance with `git diff --output=FILE`"
    if first_line.startswith(b"\x1b["):
        return "it has the colour codes of a terminal in it; make it with --no-color"
    return "it has no file header such as `git diff` writes"
