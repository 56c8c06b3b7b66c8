"""The files of a side, written from git objects for programs: with links, and never through one."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from affidavit.errors import OutsideError
from affidavit.git.checkout import write_tree_to
from affidavit.git.paths import is_safe_path
from affidavit.git.tree import LINK_MODE, MAX_TEXT_BYTES, REGULAR_MODES, GitTree
from affidavit.ports import Repository, Tree
from affidavit.records.record import Side
from affidavit.records.runs.run import AlteredFile
from affidavit.sandbox.job import MEGABYTE

MAX_SIDE_MB = 2048
EXECUTABLE = "100755"


def altered_files(repository: Repository, side: Side) -> tuple[AlteredFile, ...]:
    """Which files of a side its copy has otherwise than the commit; those of the change come first."""
    found = sorted(_altered(repository, side), key=lambda one: (not one.is_changed, one.path))
    return tuple(found)


def _altered(repository: Repository, side: Side) -> Iterator[AlteredFile]:
    own, shown = repository.side(side), repository.redacted.side(side).entries()
    others = repository.side("head" if side == "base" else "base").entries()
    for path, entry in own.entries().items():
        name = repository.redacted.shown_name(path)
        stands = shown.get(name)
        if entry.mode not in REGULAR_MODES or (name == path and stands and stands.blob == entry.blob):
            continue
        size = own.size(path) if isinstance(own, GitTree) else 0
        other = others.get(path)
        yield AlteredFile(
            path=name,
            is_left_out=size is None or size > MAX_TEXT_BYTES,
            is_changed=other is None or other.blob != entry.blob,
        )


def write_side(tree: Tree, folder: Path) -> None:
    """Write one side below an empty folder, once: every run works in a copy of it."""
    _refuse_large(tree)
    write_tree_to(tree, folder)
    for path, entry in tree.entries().items():
        # There is no link yet, so this follows none.
        if entry.mode == EXECUTABLE and is_safe_path(path):
            with suppress(OSError):
                (folder / path).chmod(0o755)
    _write_links(tree, folder)


def _refuse_large(tree: Tree) -> None:
    if not isinstance(tree, GitTree):
        return
    total = sum(tree.size(path) or 0 for path in tree.entries())
    if total > MAX_SIDE_MB * MEGABYTE:
        raise OutsideError(
            f"the repository has more than {MAX_SIDE_MB} MB of files: too many to copy for a run"
        )


def _write_links(tree: Tree, folder: Path) -> None:
    """Links come last and never below another one, so that nothing is written through them.

    They may lead anywhere: inside the sandbox there is nothing for them to lead to.
    """
    for path, entry in tree.entries().items():
        place = folder / path
        if entry.mode != LINK_MODE or not is_safe_path(path):
            continue
        target = tree.link(path) if isinstance(tree, GitTree) else None
        if not target:
            continue
        with suppress(OSError, ValueError):
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.parent.resolve() == place.parent:
                place.symlink_to(target)
