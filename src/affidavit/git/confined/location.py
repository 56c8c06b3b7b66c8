"""Find a repository and where it keeps its parts; those that lie elsewhere are refused."""

import os
from pathlib import Path

from affidavit.errors import GitError, NotARepositoryError
from affidavit.git.command import Git, Location, complaint, git_environment
from affidavit.git.confined.boundaries import Allowed, refuse_foreign_places

NOTHING_MORE = Allowed()
ANSWERS = 4
"""What git says of every repository."""


def find_repository(folder: Path | None, allowed: Allowed = NOTHING_MORE) -> Location:
    """Find the repository that holds a folder; None means the current one, or what a hook was given."""
    place = (folder or Path.cwd()).absolute()
    if not place.is_dir():
        raise NotARepositoryError(f"{place} is not a folder")
    git = Git(place, git_environment(keep_hook_variables=folder is None))
    if allowed.work_tree is not None:
        git = git.having({"GIT_WORK_TREE": str(allowed.work_tree.absolute())})
    # The last one fails where there is no working tree, after the others have been answered.
    wanted = ("--git-dir", "--git-common-dir", "--git-path", "index", "--is-shallow-repository")
    done = git.attempt("rev-parse", "--path-format=absolute", *wanted, "--show-toplevel")
    lines = done.stdout.split(b"\n")[:-1]
    if len(lines) < ANSWERS:
        raise _no_repository(place, done.stderr)
    git_dir, common_dir, index = (Path(os.fsdecode(line)) for line in lines[:3])
    top = b"\n".join(lines[ANSWERS:]) if done.returncode == 0 else b""
    work_tree = Path(os.fsdecode(top)) if top else None
    location = Location(git_dir, common_dir, work_tree, index, is_shallow=lines[3] == b"true")
    refuse_foreign_places(git, location, place, allowed)
    return location


def _no_repository(place: Path, stderr: bytes) -> NotARepositoryError | GitError:
    if b"not a git repository" in stderr:
        return NotARepositoryError(
            f"{place} is not in a git repository: name one with --repo, or give a diff file to review"
        )
    return GitError(f"the repository at {place} cannot be read: {complaint(stderr)}")
