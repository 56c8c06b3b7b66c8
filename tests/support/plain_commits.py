"""Write the commits of plain test repositories as git does, without starting it: in a fifth of the time.

Whatever is not plain is left to git: settings, attributes, submodules, an index that somebody else wrote.
"""

import hashlib
import os
import re
import stat
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

PLAIN_PARTS = {"COMMIT_EDITMSG", "HEAD", "config", "index", "logs", "objects", "refs"}
"""What `.git` may hold."""
PLAIN_NAMES = {b".github", b".gitignore"}
"""Of the names that begin like one of git's own."""
MOST_FILES = 300
ENTRY = struct.Struct(">10I20sH")


class NotPlainError(Exception):
    """Git has to do it."""


@dataclass(frozen=True)
class _File:
    """A file as a tree and the index have it."""

    path: bytes
    mode: int
    blob: bytes
    status: os.stat_result

    def entry(self) -> bytes:
        """Its entry in the index."""
        of = self.status
        times = (part for when in (of.st_ctime_ns, of.st_mtime_ns) for part in divmod(when, 1_000_000_000))
        numbers = (*times, of.st_dev, of.st_ino, self.mode, of.st_uid, of.st_gid, of.st_size)
        cut = (number & 0xFFFFFFFF for number in numbers)
        entry = ENTRY.pack(*cut, self.blob, min(len(self.path), 0xFFF)) + self.path
        return entry + b"\0" * (8 - len(entry) % 8)


class PlainCommits:
    """Commits everything in a folder whose repository is as `git init` made it, but for such commits."""

    def __init__(self, folder: Path, config: bytes, identity: Mapping[str, str]) -> None:
        self._folder, self._git = folder, folder / ".git"
        self._config, self._identity = config, identity
        self._own_index: tuple[int, ...] | None = None
        """How the index was left; none was there."""

    def commit(self, message: str) -> str:
        """Return the id of the new commit; raise NotPlainError, with nothing done, where git has to do it."""
        branch = self._check()
        text = _cleaned(message)
        files: list[_File] = []
        objects: dict[str, bytes] = {}
        tree = _add(objects, b"tree", self._read(os.fsencode(self._folder), b"", files, objects))
        ref = self._git / branch
        parent = ref.read_text().strip() if ref.is_file() else None
        commit = _add(objects, b"commit", self._commit(tree.hex(), parent, text)).hex()
        for name, content in objects.items():
            self._write_object(name, content)
        self._write_index(files)
        (self._git / "COMMIT_EDITMSG").write_text(text)
        ref.parent.mkdir(parents=True, exist_ok=True)
        ref.write_text(f"{commit}\n")
        self._log(branch, parent, commit, text)
        return commit

    def _check(self) -> str:
        """The name of the branch, in a repository that is plain."""
        try:
            parts = set(os.listdir(self._git))  # noqa: PTH208 - names alone
            head = (self._git / "HEAD").read_text()
            config = (self._git / "config").read_bytes()
        except (FileNotFoundError, NotADirectoryError) as error:
            raise NotPlainError from error
        is_plain = parts <= PLAIN_PARTS and config == self._config and self._index() == self._own_index
        if not is_plain or not head.startswith("ref: refs/heads/"):
            raise NotPlainError
        return head.removeprefix("ref: ").strip()

    def _index(self) -> tuple[int, ...] | None:
        try:
            found = (self._git / "index").stat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size

    def _read(self, folder: bytes, within: bytes, files: list[_File], objects: dict[str, bytes]) -> bytes:
        """The tree of a folder; nothing for one without files."""
        rows: list[tuple[bytes, bytes]] = []
        for found in _entries(folder, is_root=not within):
            path = within + found.name
            if found.is_dir(follow_symlinks=False):
                inner = self._read(found.path, path + b"/", files, objects)
                if inner:
                    tree = _add(objects, b"tree", inner)
                    rows.append((found.name + b"/", b"40000 " + found.name + b"\0" + tree))
                continue
            status = found.stat(follow_symlinks=False)
            mode = _mode_of(status)
            place = Path(os.fsdecode(found.path))
            content = os.fsencode(place.readlink()) if stat.S_ISLNK(mode) else place.read_bytes()
            blob = _add(objects, b"blob", content)
            files.append(_File(path, mode, blob, status))
            if len(files) > MOST_FILES:
                raise NotPlainError
            rows.append((found.name, b"%o " % mode + found.name + b"\0" + blob))
        return b"".join(row for _, row in sorted(rows))

    def _commit(self, tree: str, parent: str | None, text: str) -> bytes:
        by = self._identity
        lines = [f"tree {tree}", *([f"parent {parent}"] if parent else [])]
        lines += [f"author {_signed(by, 'AUTHOR')}", f"committer {_signed(by, 'COMMITTER')}", "", text]
        return "\n".join(lines).encode()

    def _write_object(self, name: str, content: bytes) -> None:
        folder = self._git / "objects" / name[:2]
        folder.mkdir(exist_ok=True)
        place = folder / name[2:]
        if not place.exists():
            place.write_bytes(zlib.compress(content, 1))
            place.chmod(0o444)

    def _write_index(self, files: list[_File]) -> None:
        entries = b"".join(file.entry() for file in sorted(files, key=lambda file: file.path))
        content = struct.pack(">4s2I", b"DIRC", 2, len(files)) + entries
        (self._git / "index").write_bytes(content + hashlib.sha1(content).digest())
        self._own_index = self._index()

    def _log(self, branch: str, parent: str | None, commit: str, text: str) -> None:
        what = "commit" if parent else "commit (initial)"
        by = _signed(self._identity, "COMMITTER")
        subject = " ".join(text.partition("\n")[0].split())
        line = f"{parent or '0' * 40} {commit} {by}\t{what}: {subject}\n"
        for name in ("HEAD", branch):
            log = self._git / "logs" / name
            log.parent.mkdir(parents=True, exist_ok=True)
            with log.open("a") as file:
                file.write(line)


def _cleaned(message: str) -> str:
    """The message as git keeps it."""
    lines = "\n".join(line.rstrip(" \t\r\f\v") for line in message.split("\n")).strip("\n")
    if not lines or not lines.replace("\n", "").isprintable():
        raise NotPlainError
    return re.sub(r"\n{3,}", "\n\n", lines) + "\n"


def _signed(by: Mapping[str, str], role: str) -> str:
    when = datetime.fromisoformat(by[f"GIT_{role}_DATE"])
    return f"{by[f'GIT_{role}_NAME']} <{by[f'GIT_{role}_EMAIL']}> {int(when.timestamp())} {when:%z}"


def _entries(folder: bytes, *, is_root: bool) -> Iterator["os.DirEntry[bytes]"]:
    with os.scandir(folder) as found:
        for one in found:
            if is_root and one.name == b".git":
                continue
            name = one.name.lower()
            # Git has its own rules for these.
            if (name.startswith((b".git", b"git~")) and name not in PLAIN_NAMES) or set(name) & set(b"\\:"):
                raise NotPlainError
            yield one


def _mode_of(status: os.stat_result) -> int:
    if stat.S_ISLNK(status.st_mode):
        return 0o120000
    if not stat.S_ISREG(status.st_mode):
        raise NotPlainError
    return 0o100755 if status.st_mode & 0o100 else 0o100644


def _add(objects: dict[str, bytes], kind: bytes, content: bytes) -> bytes:
    whole = b"%s %d\0" % (kind, len(content)) + content
    digest = hashlib.sha1(whole)
    objects[digest.hexdigest()] = whole
    return digest.digest()
