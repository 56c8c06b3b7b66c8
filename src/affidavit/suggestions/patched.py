"""Apply a patch to head, as a tree of git objects."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from affidavit.errors import InputError
from affidavit.git.paths import is_safe_path
from affidavit.git.repository import GitRepository
from affidavit.git.tree import REGULAR_MODES, GitTree
from affidavit.system.temporary import temporary_folder

MAX_PATCH_BYTES = 500_000
APPLY_SECONDS = 30
PLAIN_MODE, EXECUTABLE_MODE = "100644", "100755"
Contents = Mapping[str, bytes | None]


def apply_patch(repository: GitRepository, patch: str) -> Contents:
    """Return the patched content of each file that the patch touches; None for deleted files.

    Git applies it in a folder of its own that holds those files and nothing else.
    """
    if len(patch.encode()) > MAX_PATCH_BYTES:
        raise InputError(f"the patch has more than {MAX_PATCH_BYTES} bytes")
    head = repository.head
    with temporary_folder("patch-") as place:
        files = place / "files"
        files.mkdir()
        (place / "patch").write_text(patch if patch.endswith("\n") else f"{patch}\n", "utf-8", newline="")
        touched = _touched(place)
        for path in touched:
            content = _content(head, path)
            if content is not None:
                (files / path).parent.mkdir(parents=True, exist_ok=True)
                (files / path).write_bytes(content)
                (files / path).chmod(0o755 if _mode(head, path) == EXECUTABLE_MODE else 0o644)
        _git(place, "apply", "--whitespace=nowarn", "../patch")
        for path in touched:
            _refuse_other_kinds(files / path, path, _mode(head, path))
        contents = {path: _read(files / path) for path in touched}
        if all(head.read(path) == content for path, content in contents.items()):
            raise InputError("the patch changes no content")
        return contents


def patched_repository(repository: GitRepository, contents: Contents) -> GitRepository:
    """Return head and patched head as the two sides of a change."""
    store, head = repository.store, repository.head
    kept = {path: content for path, content in contents.items() if content is not None}
    blobs = dict(zip(kept, store.write_blobs(list(kept.values())), strict=True))
    changes = {
        _raw(head, path): (_mode(head, path), blobs[path]) if path in blobs else None for path in contents
    }
    return GitRepository(store, head, GitTree(store, store.write_tree(head.revision, changes)))


def _touched(place: Path) -> list[str]:
    """The paths that a patch names; one that leads out, or is no regular file, is refused."""
    listed = _git(place, "apply", "--numstat", "-z", "../patch").decode("utf-8", "surrogateescape")
    paths = [row.split("\t", 2)[2] for row in listed.split("\0") if row.count("\t") >= 2]
    if not paths:
        raise InputError("the patch touches no file")
    for path in paths:
        if not is_safe_path(path):
            raise InputError(f"the patch touches {path!r}, which is no file of the repository")
    return paths


def _refuse_other_kinds(file: Path, path: str, mode: str) -> None:
    """Only contents are tried and written: neither a link nor a mode."""
    if file.is_symlink() or file.is_dir():
        raise InputError(f"the patch makes {path!r} a link or a folder: only regular files are patched")
    if file.exists() and bool(file.stat().st_mode & 0o100) != (mode == EXECUTABLE_MODE):
        raise InputError(f"the patch changes the mode of {path!r}: only contents are patched")


def _content(head: GitTree, path: str) -> bytes | None:
    entry = head.entry(path)
    if entry is not None and entry.mode not in REGULAR_MODES:
        raise InputError(f"the patch touches {path!r}, which is no regular file")
    return head.read(path)


def _raw(head: GitTree, path: str) -> bytes:
    entry = head.entry(path)
    return entry.raw_path if entry else path.encode()


def _mode(head: GitTree, path: str) -> str:
    entry = head.entry(path)
    return entry.mode if entry else PLAIN_MODE


def _read(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() and not file.is_symlink() else None


def _git(place: Path, *arguments: str) -> bytes:
    """Git outside of any repository, with no settings of anybody's."""
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "GIT_CEILING_DIRECTORIES": str(place),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C",
    }
    command = ["git", *arguments]
    try:
        done = subprocess.run(
            command,
            cwd=place / "files",
            env=environment,
            capture_output=True,
            check=False,
            timeout=APPLY_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"the patch cannot be applied: {error}") from error
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(f"the patch does not apply to head: {words[0][:300] if words else ''}")
    return done.stdout
