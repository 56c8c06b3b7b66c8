"""Filters of git, which are programs that a configuration names: switch them off, and do without them.

Only git's large-file storage is done here without its program, since a pointer is no more than the digest
and the size of the file: a file that has a pointer in the index is compared by these.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from affidavit.git.command import Git
from affidavit.git.objects import ObjectStore

LARGE_FILES = "lfs"
MAX_POINTER_BYTES = 1024
POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (\d+)\n"
)
OFF = {"clean": "", "smudge": "", "process": "", "required": "false"}


@dataclass(frozen=True)
class LargeFile:
    """A file whose index entry is a pointer, and the pointer to what lies in the working tree."""

    mode: str
    old: bytes
    new: bytes


def filters_off(git: Git) -> dict[str, str]:
    """The variables with which git runs no filter that its configuration names."""
    listed = git.attempt("config", "-z", "--name-only", "--get-regexp", r"^filter\.").stdout
    keys = [os.fsdecode(key) for key in listed.split(b"\0") if key.count(b".") > 1]
    names = dict.fromkeys(key.removeprefix("filter.").rpartition(".")[0] for key in keys)
    # As variables, because a name may hold the sign of equality, at which `-c` would cut it.
    settings = [(f"filter.{name}.{key}", value) for name in names for key, value in OFF.items()]
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


def changed_under_filters(git: Git) -> dict[bytes, str]:
    """The files that may differ from the index and are under a filter, each with the filter's name."""
    if git.environment.get("GIT_CONFIG_COUNT", "0") == "0":
        # No filter is configured here, so git itself would take every file as it is.
        return {}
    options = ("-z", "--name-only", "--ignore-submodules=all", "--no-ext-diff", "--no-textconv")
    changed = git.run("diff-files", *options)
    others = git.run("ls-files", "-z", "--others", "--exclude-standard")
    if not changed and not others:
        return {}
    told = git.run("check-attr", "-z", "--stdin", "filter", stdin=changed + others).split(b"\0")
    found = zip(told[::3], told[2::3], strict=False)
    unset = (b"unspecified", b"unset", b"set", b"")
    return {path: value.decode("utf-8", "backslashreplace") for path, value in found if value not in unset}


def large_files(
    store: ObjectStore, git: Git, work_tree: Path, filtered: Mapping[bytes, str]
) -> dict[bytes, LargeFile]:
    """The files of large-file storage among them, as far as the index has pointers for them."""
    wanted = [path for path, name in filtered.items() if name == LARGE_FILES]
    found = {}
    for path, (mode, blob) in _index_entries(git, wanted).items():
        old = store.read(blob) if (store.size(blob) or MAX_POINTER_BYTES + 1) <= MAX_POINTER_BYTES else None
        new = _pointer(work_tree, path) if old and POINTER.fullmatch(old) else None
        if old and new:
            found[path] = LargeFile(mode, old, new)
    return found


def write_pointers(store: ObjectStore, git: Git, files: Mapping[bytes, LargeFile]) -> None:
    """Put the pointers of changed files into the index."""
    changed = {path: file for path, file in files.items() if _meaning(file.old) != _meaning(file.new)}
    blobs = store.write_blobs([file.new for file in changed.values()])
    rows = [
        f"{file.mode} {blob}".encode() + b"\t" + path + b"\0"
        for (path, file), blob in zip(changed.items(), blobs, strict=True)
    ]
    if rows:
        git.run("update-index", "-z", "--index-info", stdin=b"".join(rows))


def _index_entries(git: Git, paths: Iterable[bytes]) -> dict[bytes, tuple[str, str]]:
    wanted = set(paths)
    if not wanted:
        return {}
    rows = (row.split(b"\t", 1) for row in git.run("ls-files", "--stage", "-z").split(b"\0") if row)
    parts = {path: head.decode().split(" ") for head, path in rows if path in wanted}
    return {path: (mode, blob) for path, (mode, blob, stage) in parts.items() if stage == "0"}


def _pointer(work_tree: Path, path: bytes) -> bytes | None:
    """The pointer to a file of the working tree; None for one that is itself a pointer, or no file there."""
    place = work_tree / os.fsdecode(path)
    try:
        if not place.parent.resolve().is_relative_to(work_tree.resolve()):
            return None
        descriptor = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        size = os.fstat(descriptor).st_size
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        if size <= MAX_POINTER_BYTES and POINTER.fullmatch(file.read()):
            return None
        file.seek(0)
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {size}\n".encode()


def _meaning(pointer: bytes) -> tuple[bytes, ...]:
    found = POINTER.fullmatch(pointer)
    return found.groups() if found else (pointer,)
