"""Record what a run lacked and read, besides its output.

Notes come through pipes in a folder that is read-only in the sandbox: from Python while the program runs
(`noting`), and from the command that started it, at its end. What the change itself writes there can only
take away its own proof, or let something count against it.
"""

import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from affidavit.ports import Entry, Tree
from affidavit.records.program_runs import AlteredFile
from affidavit.sandbox import following, noting
from affidavit.sandbox.job import AT_THE_END, DONE, FULL, LISTED, NODE_HOOK, UNTOUCHED
from affidavit.system.temporary import temporary_folder

LOADED_BY_ITSELF = frozenset({"sitecustomize", "usercustomize", "conftest"})
"""Modules that Python and pytest load by themselves."""
FAMILIES: Mapping[str, str] = {
    **dict.fromkeys((".py", ".pyc", ".pyw", ".so"), "python"),
    **dict.fromkeys((".js", ".cjs", ".mjs", ".jsx", ".json", ".node", ".ts", ".cts", ".mts", ".tsx"), "node"),
    **dict.fromkeys((".rb",), "ruby"),
    **dict.fromkeys((".php",), "php"),
    **dict.fromkeys((".pl", ".pm"), "perl"),
}
PACKAGES = "node_modules/"
MAX_MANIFESTS = 200


def shadows(path: str, tree: Tree) -> str:
    """Return the part of the change that a file at this path would hide; empty if none."""
    parts = PurePosixPath(path).parts
    names = {part.split(".")[0] for part in parts}
    if names & LOADED_BY_ITSELF and family_of(path) == "python":
        return f"what the interpreter loads by itself ({path})"
    entries = tree.entries()
    if path.startswith(PACKAGES):
        return _own_package(path.removeprefix(PACKAGES), entries, tree)
    if (
        parts[-1] == "package.json"
        and len(parts) > 1
        and _has_folder(str(PurePosixPath(path).parent), entries)
    ):
        return f"how {PurePosixPath(path).parent} is imported"
    return _own_module(path, entries)


def family_of(path: str) -> str:
    """Return the interpreter that looks for files with this ending."""
    return FAMILIES.get(PurePosixPath(path).suffix, "")


def _own_module(path: str, entries: Iterable[str]) -> str:
    """Find a file of the same family that is imported by the same name."""
    family, wanted = family_of(path), _module(path)
    if not family:
        return ""
    for own in entries:
        if family_of(own) == family and (_module(own) == wanted or own.startswith(f"src/{wanted}/")):
            return own
    return ""


def _module(path: str) -> str:
    """Return the name by which a file is imported from the root; `src` is a root, too."""
    place = PurePosixPath(path.removeprefix("src/") if family_of(path) == "python" else path)
    stem = place.name.split(".")[0]
    return str(place.parent if stem in ("__init__", "index") else place.parent / stem)


def _own_package(path: str, entries: Mapping[str, Entry], tree: Tree) -> str:
    parts = path.split("/")
    name = "/".join(parts[:2] if path.startswith("@") else parts[:1])
    if _has_folder(PACKAGES + name, entries) or name in _package_names(entries, tree):
        return f"the package {name} of the repository"
    stem = name.split("/")[-1].split(".")[0]
    own = (one for one in entries if family_of(one) == "node" and one.count("/") < 2)
    return next((one for one in own if _module(one).removeprefix("src/") == stem), "")


def _package_names(entries: Mapping[str, Entry], tree: Tree) -> set[str]:
    manifests = [one for one in entries if PurePosixPath(one).name == "package.json"][:MAX_MANIFESTS]
    return {name for one in manifests for name in _name_in(tree.read(one) or b"")}


def _name_in(manifest: bytes) -> list[str]:
    try:
        read = json.loads(manifest)
    except ValueError:
        return []
    name = read.get("name") if isinstance(read, dict) else None
    return [name] if isinstance(name, str) else []


def _has_folder(folder: str, entries: Iterable[str]) -> bool:
    return any(one.startswith(f"{folder}/") for one in entries)


MAX_NAMES = 50
MAX_BYTES = 65536
"""The kernel buffers this much of an unread pipe."""
MAX_LISTED = MAX_BYTES // 2
"""Bytes for the names of the files whose reading is noted."""
NAME = re.compile(r"[^\W\d]\w{0,99}")
HOST = re.compile(r"[\w.:/@%-]{1,200}")


@dataclass(frozen=True)
class Noticed:
    """The notes on one run."""

    missing: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    altered: tuple[AlteredFile, ...] = ()
    """Files of the copy that differ from the commit, and that the run has or may have read."""
    touched: tuple[str, ...] | None = None
    """Files of the change that it read; None if that is not known.

    A file of Python or JavaScript counts only if a changed line ran, where that is known.
    """
    executed: tuple[str, ...] = ()
    """The changed lines that ran, a text for each file."""
    is_full: bool = False
    """Whether one of its disks was full at the end."""


@dataclass(frozen=True)
class Watched:
    """A folder for the sandbox, with pipes for notes."""

    folder: Path
    altered: Sequence[AlteredFile]
    changed: Sequence[str]
    lines: Mapping[str, Sequence[int]]
    while_running: int
    at_the_end: int

    def noticed(self) -> Noticed:
        """Return all notes, each once, in alphabetical order."""
        lines = _lines(self.while_running)
        missing = _named(lines, noting.MISSING, NAME)
        unreached = _named(lines, noting.UNREACHED, HOST) - _named(lines, noting.REACHED, HOST)
        ended = _lines(self.at_the_end)
        ran = following.lines_that_ran(lines, self.lines)
        return Noticed(
            tuple(sorted(missing)[:MAX_NAMES]),
            tuple(sorted(unreached)[:MAX_NAMES]),
            _read(self.altered, ended),
            self._touched(ended, ran, {line.partition(" ")[0] for line in lines}),
            tuple(following.in_words(*one) for one in ran.items()),
            FULL in ended,
        )

    def _touched(
        self, ended: Sequence[str], ran: Collection[str], notes: Collection[str]
    ) -> tuple[str, ...] | None:
        read = _touched(self.changed, self.altered, ended)
        is_followed = following.FOLLOWED in notes and following.UNSURE not in notes
        if read is None or not is_followed:
            return read
        return tuple(path for path in read if path in ran or path not in self.lines)


def _lines(pipe: int) -> list[str]:
    try:
        return os.read(pipe, MAX_BYTES).decode("utf-8", "replace").split("\n")
    except BlockingIOError:
        return []


def _named(lines: Sequence[str], kind: str, form: re.Pattern[str]) -> set[str]:
    names = (line.removeprefix(f"{kind} ") for line in lines if line.startswith(f"{kind} "))
    return {name for name in names if form.fullmatch(name)}


def _read(altered: Sequence[AlteredFile], ended: Sequence[str]) -> tuple[AlteredFile, ...]:
    """Return the altered files that may have been read; if the run was cut off, only those of the change."""
    alone = _left_alone(ended)
    looked_after = set(_listed((one.path for one in altered), ())) if DONE in ended else set()
    read = [one for one in altered if one.is_changed or one.path in looked_after]
    return tuple(one for one in read if one.path not in alone)[:MAX_NAMES]


def _touched(
    changed: Sequence[str], altered: Sequence[AlteredFile], ended: Sequence[str]
) -> tuple[str, ...] | None:
    """Return the files of the change that were read; None if not all of them are known."""
    listed = set(_listed((one.path for one in altered), changed))
    if DONE not in ended or not listed.issuperset(changed):
        return None
    alone = _left_alone(ended)
    read = tuple(path for path in changed if path not in alone)
    return read if len(read) <= MAX_NAMES else None


def _left_alone(ended: Sequence[str]) -> set[str]:
    return {line.removeprefix(f"{UNTOUCHED} ") for line in ended if line.startswith(f"{UNTOUCHED} ")}


def _listed(altered: Iterable[str], changed: Iterable[str]) -> Iterator[str]:
    """Yield as many files as fit into a pipe: first those whose copy differs from the commit."""
    room = MAX_LISTED
    for path in dict.fromkeys((*altered, *changed)):
        room -= len(path.encode()) + len(UNTOUCHED) + 2
        if room > 0:
            yield path


@contextmanager
def watching(
    altered: Sequence[AlteredFile],
    changed: Sequence[str] = (),
    lines: Mapping[str, Sequence[int]] = MappingProxyType({}),
) -> Iterator[Watched]:
    """Make a folder to mount into a sandbox at `WATCH` and to put on Python's path.

    `changed` are the files of this side that the other lacks or has otherwise, `lines` their changed lines.
    """
    with temporary_folder("watch-") as folder:
        folder.chmod(0o755)
        (folder / "sitecustomize.py").write_text(noting.NOTING, "utf-8")
        if lines:
            (folder / following.LINES).write_text(following.listing(lines), "utf-8")
            (folder / NODE_HOOK).write_text(following.IN_NODE, "utf-8")
        paths = _listed((one.path for one in altered), changed)
        if listed := b"".join(path.encode() + b"\0" for path in paths):
            (folder / LISTED).write_bytes(listed)
        running = _pipe(folder / noting.PIPE)
        try:
            ended = _pipe(folder / AT_THE_END)
            try:
                yield Watched(folder, altered, changed, lines, running, ended)
            finally:
                os.close(ended)
        finally:
            os.close(running)


def _pipe(place: Path) -> int:
    os.mkfifo(place)
    # A container has another user.
    place.chmod(0o622)
    return os.open(place, os.O_RDONLY | os.O_NONBLOCK)
