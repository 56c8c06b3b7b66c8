"""Make a tree object of a working tree or an index, and write nothing into the user's `.git`."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from affidavit.errors import GitError, InputError
from affidavit.git.command import Git, Location, complaint, git_environment
from affidavit.git.objects import ObjectStore
from affidavit.git.text import decode_path
from affidavit.git.tree import SUBMODULE_MODE
from affidavit.records.report import name_some

OFF = {"clean": "", "smudge": "", "process": "", "required": "false"}


def filters_off(git: Git) -> dict[str, str]:
    """Return the variables with which git runs no filter of its configuration."""
    listed = git.attempt("config", "-z", "--name-only", "--get-regexp", r"^filter\.").stdout
    keys = [os.fsdecode(key) for key in listed.split(b"\0") if key.count(b".") > 1]
    names = dict.fromkeys(key.removeprefix("filter.").rpartition(".")[0] for key in keys)
    # As variables, because `-c` would cut a name at an equals sign.
    settings = [(f"filter.{name}.{key}", value) for name in names for key, value in OFF.items()]
    variables = {"GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return variables


def changed_under_filters(git: Git) -> dict[bytes, str]:
    """Return the files that may differ from the index and have a filter, each with its filter."""
    if git.environment.get("GIT_CONFIG_COUNT", "0") == "0":
        # No filter is configured here, so git itself would take every file as it is.
        return {}
    options = ("-z", "--name-only", "--ignore-submodules=all", "--no-ext-diff", "--no-textconv")
    changed = git.run("diff-files", *options)
    others = git.run("ls-files", "-z", "--others", "--exclude-standard")
    if not changed and not others:
        return {}
    printed = git.run("check-attr", "-z", "--stdin", "filter", stdin=changed + others).split(b"\0")
    found = zip(printed[::3], printed[2::3], strict=False)
    unset = (b"unspecified", b"unset", b"set", b"")
    return {path: value.decode("utf-8", "backslashreplace") for path, value in found if value not in unset}


@dataclass(frozen=True)
class Snapshot:
    """A tree without a commit, and notices about files it lacks."""

    tree: str
    notices: tuple[str, ...] = ()


def snapshot_index(store: ObjectStore, location: Location) -> Snapshot:
    """Return the tree that `git commit` would commit now."""
    if location.work_tree is None and not location.index.exists():
        raise InputError("a bare repository has nothing staged: name a commit or a range to review")
    git = _git_on_copied_index(store, location, store.folder / "empty")
    unmerged = _unmerged(git.run("ls-files", "--unmerged", "-z").split(b"\0")[:-1])
    if unmerged:
        raise InputError(
            f"the index has conflicts that are not resolved ({', '.join(unmerged[:5])}): "
            "resolve them and `git add` the files, then review again"
        )
    return Snapshot(git.line("write-tree", "--missing-ok"))


def snapshot_working_tree(store: ObjectStore, location: Location, *, runs_filters: bool = False) -> Snapshot:
    """Write the tree of everything that is not ignored; filters are programs and run only if allowed."""
    if location.work_tree is None:
        raise InputError("a bare repository has no working tree: name a commit or a range to review")
    git = _git_on_copied_index(store, location, location.work_tree)
    # Letter, mode, object, stage and path of each file.
    rows = [row for row in git.run("ls-files", "-v", "--stage", "-z").split(b"\0") if row]
    notices = _look_at_everything(git, location.work_tree, rows)
    notices += [f"{path} has conflicts that are not resolved" for path in _unmerged(rows)]
    if not runs_filters:
        git = git.having(filters_off(git))
        notices += _filter_notices(changed_under_filters(git))
    submodules = list(
        dict.fromkeys(_path(row) for row in rows if row[2:].startswith(SUBMODULE_MODE.encode()))
    )
    notices += _add_all(git, submodules)
    if submodules:
        # `git add` would run `git status` in each of them, by their own configuration.
        git.attempt("update-index", "--add", "--remove", "-z", "--stdin", stdin=_listed(submodules))
    return Snapshot(git.line("write-tree", "--missing-ok"), tuple(notices))


def _look_at_everything(git: Git, work_tree: Path, rows: Sequence[bytes]) -> list[str]:
    """Undo marks in our copy of the index that hide changed files; return notices that name them."""
    unchanged = [_path(row) for row in rows if row[:1].islower()]
    skipped = [_path(row) for row in rows if row[:1] in (b"S", b"s")]
    there = [path for path in skipped if os.path.lexists(os.path.join(os.fsencode(work_tree), path))]  # noqa: PTH118
    for option, paths in (("--no-assume-unchanged", unchanged), ("--no-skip-worktree", there)):
        if paths:
            git.run("update-index", option, "-z", "--stdin", stdin=_listed(paths))
    marked = [decode_path(path) for path in dict.fromkeys([*unchanged, *there])]
    return [f"{name_some(marked)}: compared although the index marks it as unchanged"] if marked else []


def _add_all(git: Git, apart: Sequence[bytes]) -> list[str]:
    """Add everything but some paths; return sentences about what could not be read."""
    patterns = [b":/", *(b":(top,exclude,literal)" + path for path in apart)]
    # One file that cannot be read must not keep the others from being reviewed.
    options = ("--all", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul")
    done = git.attempt("add", *options, stdin=_listed(patterns))
    if done.returncode not in (0, 1):
        raise GitError(f"the working tree cannot be read: {complaint(done.stderr)}")
    if done.returncode == 1:
        return [f"not everything in the working tree could be read: {complaint(done.stderr)}"]
    return []


def _filter_notices(filtered: Mapping[bytes, str]) -> list[str]:
    names = sorted(set(filtered.values()))
    if not names:
        return []
    paths = name_some([decode_path(path) for path in filtered])
    return [
        f"{paths}: compared as they are in the folder, because no filter runs ({', '.join(names)}); "
        "--allow-filters runs the programs that the configuration of this repository names"
    ]


def _path(row: bytes) -> bytes:
    return row.split(b"\t", 1)[1]


def _listed(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)


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
    # Git LFS stores a copy of each file it cleans, which must not land in the repository either.
    settings = (f"lfs.storage={store.folder / 'lfs'}",)
    return Git(work_tree, {**git_environment(False), **variables}, settings)


def _unmerged(rows: Iterable[bytes]) -> list[str]:
    """Return the files of which the index has several stages."""
    stages = (row.split(b"\t", 1) for row in rows)
    return list(dict.fromkeys(decode_path(path) for about, path in stages if not about.endswith(b" 0")))
