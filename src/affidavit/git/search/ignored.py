"""Whether the `.gitignore` files of a tree mean a path: then a build may make the file that is not there."""

from collections.abc import Iterator

from affidavit.errors import GitError
from affidavit.git.checkout import write_tree_to
from affidavit.git.command import Git
from affidavit.git.paths import is_safe_path
from affidavit.ports import Tree
from affidavit.system.temporary import temporary_folder

NAME = ".gitignore"


def is_ignored(tree: Tree, path: str) -> bool:
    """Let git itself read the patterns, in an empty repository that has nothing but them."""
    wanted = [place for place in _places(path) if tree.entry(place) is not None]
    if not wanted or not is_safe_path(path):
        return False
    with temporary_folder("ignored-") as folder:
        write_tree_to(tree, folder, wanted)
        # What the user ignores elsewhere says nothing about this repository.
        git = Git(folder, settings=("core.excludesFile=/dev/null",))
        git.run("init", "--quiet", "--template=")
        done = git.attempt("check-ignore", "--quiet", "--no-index", "--", path)
        if done.returncode not in (0, 1):
            raise GitError(f"git could not say whether {path} is ignored")
        return done.returncode == 0


def _places(path: str) -> Iterator[str]:
    """The files that can have a pattern for the path, from the root on."""
    folders = path.split("/")[:-1]
    for depth in range(len(folders) + 1):
        yield "/".join([*folders[:depth], NAME])
