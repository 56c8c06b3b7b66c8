"""Read git objects, and write new ones outside of the user's `.git`."""

import hashlib
import os
import re
import subprocess
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import IO, TypeVar
from uuid import uuid4

from affidavit.errors import GitError, InputError
from affidavit.git.command import Git, Location, complaint, git_environment, partial_clone_advice, spawn_error
from affidavit.system.temporary import Closing, temporary_folder

MAX_READ_BYTES = 100_000_000
APPLY_SECONDS = 30.0
BATCH_BYTES = 32_000_000
KEPT_BYTES = 64_000_000
"""Contents that are cached: several analysers read the same changed files."""
BATCH = 200  # 200 object names fit into a pipe's buffer, so writing them never waits for the reader.

SHORT_ID = 40
"""The length of an id in SHA-1; others are in SHA-256."""
OBJECT_ID = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
TREE_LINE = re.compile(rb"tree ([0-9a-f]+)\n")

Key = TypeVar("Key")

NOBODY = {
    "GIT_AUTHOR_NAME": "Not Committed Yet",
    "GIT_AUTHOR_EMAIL": "not.committed.yet",
    "GIT_COMMITTER_NAME": "Not Committed Yet",
    "GIT_COMMITTER_EMAIL": "not.committed.yet",
}


class BatchReader:
    """One long-lived `git cat-file`, started when first asked and shared by all threads."""

    def __init__(self, git: Git, mode: str) -> None:
        self._git = git
        self._mode = mode
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, names: Sequence[str]) -> list[tuple[str, int, bytes] | None]:
        """Return kind, size and (with `--batch`) content of each object; None for a missing one."""
        for name in names:
            # Anything else could be read as two requests, which would shift every later answer.
            if not OBJECT_ID.fullmatch(name):
                raise GitError(f"{name!r} is not the id of an object")
        with self._lock:
            process = self._running()
            stdin, stdout = process.stdin, process.stdout
            if stdin is None or stdout is None:
                raise GitError("git cat-file was started without pipes")
            try:
                stdin.write("".join(f"{name}\n" for name in names).encode())
                stdin.flush()
                return [self._answer(stdout) for _ in names]
            except (OSError, ValueError) as error:
                self._stop()
                advice = f"; {partial_clone_advice()}" if _is_partial(self._git) else ""
                raise GitError(f"git cat-file stopped: {error}{advice}", retryable=True) from error

    def _answer(self, stdout: IO[bytes]) -> tuple[str, int, bytes] | None:
        header = stdout.readline()
        if not header.endswith(b"\n"):
            raise OSError("it ended before it answered")
        words = header.decode("utf-8", "backslashreplace").split()
        if len(words) != 3 or not words[2].isdigit():
            return None
        kind, size = words[1], int(words[2])
        if self._mode == "--batch-check":
            return kind, size, b""
        content = stdout.read(size + 1)
        if len(content) != size + 1:
            raise OSError("it ended in the middle of an object")
        return kind, size, content[:size]

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            try:
                self._process = subprocess.Popen(
                    self._git.command(["cat-file", self._mode]),
                    cwd=self._git.folder,
                    env=dict(self._git.environment),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except OSError as error:
                raise spawn_error(error, self._git.folder) from error
        return self._process

    def begin(self) -> None:
        """Start git, before anything is asked."""
        with self._lock:
            self._running()

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                _close_quietly(pipe)
        process.wait()


def _is_partial(git: Git) -> bool:
    """Check for a partial clone, which fetches objects when they are needed."""
    asked = git.attempt("config", "--get-regexp", r"^(remote\..*\.promisor|extensions\.partialclone)$")
    return asked.returncode == 0


def _close_quietly(pipe: IO[bytes]) -> None:
    try:
        pipe.close()
    except OSError:
        # The process is dead already: what was still in the pipe has no reader.
        return


class ObjectStore(Closing):
    """The objects of a repository, or of none; new ones go into a temporary folder.

    `git` reads with an empty work tree and no index: attributes of the change under review
    (`*.py -diff`) cannot hide anything from a diff or a search that git makes here.
    """

    def __init__(self, location: Location | None) -> None:
        self.location = location
        self._closing = ExitStack()
        self.folder = self._closing.enter_context(temporary_folder("objects-"))
        for name in ("empty", "objects", "new"):
            (self.folder / name).mkdir()
        self.git = self._reading_git(location)
        self._content = BatchReader(self.git, "--batch")
        self._sizes = BatchReader(self.git, "--batch-check")
        for reader in (self._sizes, self._content):
            self._closing.callback(reader.close)
            if location is not None:
                # They start while git is asked for other things.
                reader.begin()
        self._files_written = 0
        self._known_sizes: dict[str, int] = {}
        self._kept: dict[str, bytes] = {}
        self._kept_bytes = 0

    def _reading_git(self, location: Location | None) -> Git:
        empty = self.folder / "empty"
        plain = Git(empty, git_environment(False), ("core.attributesFile=/dev/null",))
        apart = {"GIT_WORK_TREE": str(empty), "GIT_INDEX_FILE": str(self.folder / "no-index")}
        if location is None:
            # Without a repository there is no other source of objects: a temporary one holds them all.
            plain.run("init", "-q", "--bare", "--template=", str(self.folder / "git"))
            return plain.having({**apart, "GIT_DIR": str(self.folder / "git")})
        return plain.having({**apart, "GIT_DIR": str(location.git_dir), **self.object_variables(location)})

    def object_variables(self, location: Location) -> dict[str, str]:
        """Return the variables that make git write objects here and read those of the repository."""
        return {
            "GIT_OBJECT_DIRECTORY": str(self.folder / "objects"),
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted_alternate(location.objects),
        }

    def close_with(self, other: Closing) -> None:
        """Close another one together with this one."""
        self._closing.callback(other.close)

    def close(self) -> None:
        self._closing.close()

    def size(self, name: str) -> int | None:
        return self.sizes([name]).get(name)

    def kind(self, name: str) -> str | None:
        """Return the type of an object (blob, tree, commit, tag); None if it is missing."""
        answer = self._sizes.ask([name])[0]
        return answer[0] if answer else None

    def read(self, blob: str) -> bytes | None:
        return next(iter(self.read_many([blob])))[1]

    def read_many(self, blobs: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Yield the content of blobs in order; raise GitError if one does not match its id."""
        for part in self.parts(list(blobs)):
            known = {name: self._kept.get(name) for name in part}
            asked = [name for name, content in known.items() if content is None]
            for name, answer in zip(asked, self._content.ask(asked) if asked else (), strict=True):
                if answer:
                    _check_name(name, answer[0], answer[2])
                if answer and answer[0] == "blob":
                    known[name] = self._keep(name, answer[2])
            yield from ((name, known[name]) for name in part)

    def _keep(self, name: str, content: bytes) -> bytes:
        if self._kept_bytes + len(content) > KEPT_BYTES:
            self._kept, self._kept_bytes = {}, 0
        self._kept[name] = content
        self._kept_bytes += len(content)
        return content

    def parts(self, names: list[str]) -> Iterator[list[str]]:
        """Split the names into parts that fit into memory: a blob may be large when it is unpacked."""
        part: list[str] = []
        total = 0
        sizes = self.sizes(names)
        for name in names:
            size = sizes.get(name, 0)
            if part and (len(part) == BATCH or total + size > BATCH_BYTES):
                yield part
                part, total = [], 0
            part.append(name)
            total += size
        if part:
            yield part

    def check(self, names: Iterable[str]) -> None:
        """Raise GitError if an object of up to 100 MB does not match its id."""
        sizes = self.sizes(names)
        for _ in self.read_many(name for name, size in sizes.items() if size <= MAX_READ_BYTES):
            pass

    def tree_of(self, commit: str) -> str:
        """Return the tree of a commit; raise GitError if the commit does not match its id."""
        answer = self._content.ask([commit])[0] if (self.size(commit) or 0) <= MAX_READ_BYTES else None
        if answer:
            _check_name(commit, answer[0], answer[2])
        if answer and answer[0] == "commit" and (named := TREE_LINE.match(answer[2])):
            return named.group(1).decode()
        return self.git.line("rev-parse", "--verify", f"{commit}^{{tree}}")

    def sizes(self, blobs: Iterable[str]) -> dict[str, int]:
        """Return the sizes of blobs, without missing ones."""
        names = dict.fromkeys(blobs)
        unknown = [name for name in names if name not in self._known_sizes]
        for start in range(0, len(unknown), BATCH):
            part = unknown[start : start + BATCH]
            answers = zip(part, self._sizes.ask(part), strict=True)
            self._known_sizes.update({name: answer[1] for name, answer in answers if answer})
        return {name: self._known_sizes[name] for name in names if name in self._known_sizes}

    def empty_tree(self) -> str:
        """Return the id of the tree without files, which git need not store."""
        return self.git.line("hash-object", "-t", "tree", "--stdin")

    def write_named(self, contents: Iterable[tuple[Key, bytes]]) -> Iterator[tuple[Key, str]]:
        """Write many blobs, some at a time; yield the id of each with its name."""
        waiting = iter(contents)
        while part := list(islice(waiting, BATCH)):
            ids = self.write_blobs([content for _, content in part])
            yield from ((name, blob) for (name, _), blob in zip(part, ids, strict=True))

    def write_blobs(self, contents: Sequence[bytes]) -> list[str]:
        """Write blobs into the temporary objects; return their ids in order."""
        if not contents:
            return []
        places = []
        for content in contents:
            self._files_written += 1
            place = self.folder / "new" / str(self._files_written)
            place.write_bytes(content)
            places.append(place)
        listed = "".join(f"{place}\n" for place in places).encode()
        names = self.git.run("hash-object", "-w", "--no-filters", "--stdin-paths", stdin=listed)
        for place in places:
            place.unlink()
        return names.decode().split()

    def write_tree(self, tree: str, changes: Mapping[bytes, tuple[str, str] | None]) -> str:
        """Write a tree like `tree` with some paths set to (mode, id), or removed by None."""
        git = self._with_own_index()
        git.run("read-tree", tree)
        removed = b"".join(
            b"0 " + b"0" * len(tree) + b"\t" + path + b"\0" for path, new in changes.items() if new is None
        )
        added = b"".join(
            f"{new[0]} {new[1]}".encode() + b"\t" + path + b"\0" for path, new in changes.items() if new
        )
        # Removals go first: a file may make room for a folder of its name.
        done = git.attempt("update-index", "-z", "--index-info", stdin=removed + added)
        # Git skips dangerous names and still reports success.
        if done.returncode != 0 or b"Ignoring path" in done.stderr:
            raise InputError(f"the files cannot be in one tree: {complaint(done.stderr)}")
        return git.line("write-tree")

    def _with_own_index(self) -> Git:
        # Several trees may be written at once.
        return self.git.having({"GIT_INDEX_FILE": str(self.folder / f"new-index-{uuid4().hex}")})

    def apply_patch(self, tree: str, patch: bytes) -> str:
        """Apply a unified diff to a tree with git, in an index of its own; return the id of the new tree."""
        git = self._with_own_index()
        git.run("read-tree", tree)
        options = ("--cached", "--whitespace=nowarn", "--no-ignore-whitespace")
        done = git.attempt("apply", *options, stdin=patch, timeout_seconds=APPLY_SECONDS)
        if done.returncode != 0:
            raise InputError(f"the patch does not apply: {complaint(done.stderr)}")
        return git.line("write-tree")

    def write_commit(self, tree: str, parent: str | None) -> str:
        """Write a commit without an author, as only commits can be blamed."""
        parents = ("-p", parent) if parent else ()
        # A setting of the user may sign every commit.
        return self.git.having(NOBODY).line("commit-tree", "--no-gpg-sign", tree, *parents)


def _check_name(name: str, kind: str, content: bytes) -> None:
    """Raise if an object is not what its id says: git does not compare, and an archive may forge it."""
    digest = hashlib.sha1 if len(name) == SHORT_ID else hashlib.sha256
    if digest(f"{kind} {len(content)}\0".encode() + content).hexdigest() != name:
        raise GitError(
            f"the object {name} of the repository is not what its name says, so nothing in it can be relied "
            "on: it is damaged or forged; `git fsck` shows more"
        )


def _quoted_alternate(folder: Path) -> str:
    # The list of alternates is separated by colons; a quoted entry may hold one.
    text = str(folder)
    if os.pathsep not in text and not text.startswith('"'):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
