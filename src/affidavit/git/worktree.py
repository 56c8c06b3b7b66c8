"""From a working tree or an index to a tree object, with nothing written into the user's `.git`."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from affidavit.errors import GitError, InputError
from affidavit.git.command import Git, Location, complaint, git_environment
from affidavit.git.objects import ObjectStore
from affidavit.git.paths import decode_path


@dataclass(frozen=True)
class Snapshot:
    """A tree that stands in no commit yet, and what could not be taken into it."""

    tree: str
    notices: tuple[str, ...] = ()


def snapshot_index(store: ObjectStore, location: Location) -> Snapshot:
    """The tree that `git commit` would commit now."""
    if location.work_tree is None and not location.index.exists():
        raise InputError("a bare repository has nothing staged: name a commit or a range to review")
    git = _git_on_copied_index(store, location, store.folder / "empty")
    unmerged = _unmerged(git)
    if unmerged:
        raise InputError(
            f"the index has conflicts that are not resolved ({', '.join(unmerged[:5])}): "
            "resolve them and `git add` the files, then review again"
        )
    return Snapshot(git.line("write-tree", "--missing-ok"))


def snapshot_working_tree(store: ObjectStore, location: Location) -> Snapshot:
    """The tree of everything that is not ignored: staged, unstaged and untracked."""
    if location.work_tree is None:
        raise InputError("a bare repository has no working tree: name a commit or a range to review")
    git = _git_on_copied_index(store, location, location.work_tree)
    notices = [f"{path} has conflicts that are not resolved" for path in _unmerged(git)]
    # One file that cannot be read must not keep the others from being reviewed.
    done = git.attempt("add", "--all", "--ignore-errors", "--", ":/")
    if done.returncode not in (0, 1):
        raise GitError(f"the working tree cannot be read: {complaint(done.stderr)}")
    if done.returncode == 1:
        notices.append(f"not everything in the working tree could be read: {complaint(done.stderr)}")
    return Snapshot(git.line("write-tree", "--missing-ok"), tuple(notices))


def _git_on_copied_index(store: ObjectStore, location: Location, work_tree: Path) -> Git:
    index = store.folder / "copied-index"
    if location.index.exists():
        shutil.copy2(location.index, index)
    variables = {
        "GIT_DIR": str(location.git_dir),
        "GIT_WORK_TREE": str(work_tree),
        "GIT_INDEX_FILE": str(index),
        **store.object_variables(location),
    }
    # Large-file storage keeps a copy of what it cleans; that, too, must not land in the repository.
    settings = (f"lfs.storage={store.folder / 'lfs'}",)
    return Git(work_tree, {**git_environment(False), **variables}, settings)


def _unmerged(git: Git) -> list[str]:
    listed = git.run("ls-files", "--unmerged", "-z")
    return list(dict.fromkeys(decode_path(row.split(b"\t", 1)[1]) for row in listed.split(b"\0") if row))
