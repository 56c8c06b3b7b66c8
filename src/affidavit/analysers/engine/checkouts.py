"""Write the files of a side for an analyser; the second side takes over the files that it shares."""

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from threading import Lock

from affidavit.analysers.engine.task import Task
from affidavit.git.checkout import write_tree_to
from affidavit.git.text import is_safe_path

LINE_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


class Checkouts:
    """The checkouts of one examination, below one folder, for an analyser that writes to none."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._first: tuple[Path, Mapping[str, str]] | None = None
        self.lock = Lock()

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Give a new folder, which is kept until the examination ends."""
        yield Path(mkdtemp(dir=self._root))

    def link_shared(self, code: Path, blobs: Mapping[str, str]) -> set[str]:
        """Link the files to the first checkout that are the same there; return their names."""
        if self._first is None:
            self._first = code, blobs
            return set()
        folder, written = self._first
        return {
            name for name, blob in blobs.items() if written.get(name) == blob and _link(folder, code, name)
        }


def _link(folder: Path, code: Path, name: str) -> bool:
    """Link one file; False where the first checkout or the file system refuses."""
    place = code / name
    if not is_safe_path(name):
        return False
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        os.link(folder / name, place)
    except OSError:
        return False
    return True


def lay_out(task: Task, scratch: Path, checkouts: Checkouts | None) -> tuple[str, ...]:
    """Write the checkout of a task, with what lies beside it; return the paths of refused files."""
    code = scratch / "code"
    code.mkdir()
    for name, content in task.invocation.outside.items():
        (scratch / name).parent.mkdir(parents=True, exist_ok=True)
        (scratch / name).write_bytes(content)
    canary = task.analyser.canary
    if canary is None:
        return _write_tree(task, code, checkouts)
    for name, path in task.laid.items():
        (code / name).write_bytes(canary.added_to(task.text_of(path), path))
    return ()


def _write_tree(task: Task, code: Path, checkouts: Checkouts | None) -> tuple[str, ...]:
    # Analysers print names a line at a time: one of several lines could say anything.
    broken = tuple(path for path in task.paths if LINE_BREAK.search(path))
    laid = {name: path for name, path in task.laid.items() if path not in broken}
    overrides = {**_written_otherwise(task, laid), **task.invocation.files}
    if checkouts is None:
        refused = write_tree_to(task.tree, code, laid, overrides=overrides, rewrite=task.laid_out)
    else:
        entries = task.tree.entries()
        blobs = {name: entries[name].blob for name in laid if name not in overrides}
        with checkouts.lock:
            linked = checkouts.link_shared(code, blobs)
            rest = [name for name in laid if name not in linked]
            refused = write_tree_to(task.tree, code, rest, overrides=overrides, rewrite=task.laid_out)
    return *broken, *(laid.get(name, name) for name in refused)


def _written_otherwise(task: Task, laid: Mapping[str, str]) -> dict[str, bytes | None]:
    """Return the files whose name or content in the checkout differs from the tree."""
    contents = {
        name: task.rewritten.get(path, task.tree.read(path) if name != path else None)
        for name, path in laid.items()
        if name != path or path in task.rewritten
    }
    return {name: None if text is None else task.laid_out(name, text) for name, text in contents.items()}
