"""Write planted bugs as labelled cases: one bare repository for all, and a folder per case."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from affidavit.errors import InputError
from affidavit.git.command import Git, Location, git_environment
from affidavit.git.objects import ObjectStore
from affidavit.lab.mutation.mutant import Mutant

REPOSITORY = "repository.git"
# Of a longer history only the last part is fetched: a review reads little more.
WHOLE_HISTORY_COMMITS = 5_000
SHALLOW_DEPTH = 50
FETCH_TIMEOUT_SECONDS = 1800.0
# Protocols are off for every other git call here; this one reads a folder of the user's own.
FETCH_SETTINGS = (
    "protocol.file.allow=always",
    "uploadpack.allowAnySHA1InWant=true",
    "gc.auto=0",
    "maintenance.auto=false",
)


@dataclass(frozen=True)
class PlantedBug:
    """A planted mutant: its commit, and how it was checked."""

    case_id: str
    commit: str
    parent: str
    planted: str
    """The id of the commit with the bug."""
    title: str
    description: str
    language: str
    mutant: Mutant
    checked: str
    """The type checker that accepted the bug, or why none was asked."""


def clean_id(commit: str) -> str:
    """Return the id of the clean twin of a commit."""
    return f"{commit[:12]}-clean"


def prepare_folder(folder: Path) -> None:
    """Make the folder for the cases; raise InputError if it is not empty."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        is_empty = next(folder.iterdir(), None) is None
    except OSError as error:
        raise InputError(f"{folder} cannot be used for the cases: {error.strerror}") from error
    if not is_empty:
        raise InputError(f"{folder} is not empty: name a new folder for the cases")


def write_planted_commit(store: ObjectStore, commit: str, tree: str) -> str:
    """Write a commit with another tree but the same message, author and time, unsigned."""
    header, _, message = store.git.run("cat-file", "commit", commit).partition(b"\n\n")
    kept: list[bytes] = []
    is_dropped = False
    for line in header.split(b"\n"):
        # A line that begins with a space continues the header before it.
        is_dropped = is_dropped if line.startswith(b" ") else line.startswith((b"gpgsig", b"mergetag"))
        if not is_dropped:
            kept.append(f"tree {tree}".encode() if line.startswith(b"tree ") else line)
    content = b"\n".join(kept) + b"\n\n" + message
    return store.git.line("hash-object", "-t", "commit", "-w", "--stdin", stdin=content)


def write_cases(folder: Path, store: ObjectStore, location: Location, bugs: Sequence[PlantedBug]) -> None:
    """Write the repository and all cases; remove everything if that fails."""
    try:
        # Git runs in that folder, where a relative path would be another place.
        _write_repository(folder.absolute() / REPOSITORY, store, location, bugs)
        for bug in bugs:
            _write_planted(folder / bug.case_id, bug)
            _write_clean(folder / clean_id(bug.commit), bug)
    except BaseException:
        # Only our own files: others may have added some meanwhile.
        for name in (REPOSITORY, *(name for bug in bugs for name in (bug.case_id, clean_id(bug.commit)))):
            shutil.rmtree(folder / name, ignore_errors=True)
        raise


def _write_repository(
    place: Path, store: ObjectStore, location: Location, bugs: Sequence[PlantedBug]
) -> None:
    place.mkdir()
    allowed = {"GIT_DIR": str(place), "GIT_ALLOW_PROTOCOL": "file"}
    plain = Git(place, {**git_environment(False), **allowed}, FETCH_SETTINGS)
    object_format = store.git.line("rev-parse", "--show-object-format")
    plain.run("init", "-q", "--bare", "--template=", f"--object-format={object_format}", str(place))
    commits = sorted({bug.commit for bug in bugs})
    length = int(store.git.line("rev-list", "--count", *commits, "--"))
    depth = (f"--depth={SHALLOW_DEPTH}",) if length > WHOLE_HISTORY_COMMITS else ()
    plain.run(
        "fetch",
        "-q",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        "--upload-pack=git -c uploadpack.allowAnySHA1InWant=true -c uploadpack.hideRefs= upload-pack",
        *depth,
        str(location.common_dir),
        *(f"{commit}:refs/heads/clean/{clean_id(commit)}" for commit in commits),
        timeout_seconds=FETCH_TIMEOUT_SECONDS,
    )
    _hand_over(store, plain, bugs)
    plain.run("symbolic-ref", "HEAD", f"refs/heads/clean/{clean_id(commits[0])}")


def _hand_over(store: ObjectStore, target: Git, bugs: Sequence[PlantedBug]) -> None:
    """Copy the new objects from their temporary folder to the cases' repository."""
    new, known = [bug.planted for bug in bugs], [f"^{bug.commit}" for bug in bugs]
    listed = store.git.run("rev-list", "--objects", "--no-object-names", *new, *known, "--")
    packed = store.git.run("pack-objects", "-q", "--stdout", stdin=listed)
    target.run("unpack-objects", "-q", stdin=packed)
    for bug in bugs:
        target.run("update-ref", f"refs/heads/planted/{bug.case_id}", bug.planted)


def _write_planted(folder: Path, bug: PlantedBug) -> None:
    folder.mkdir()
    mutant = bug.mutant
    planted = {
        "operator": mutant.operator,
        "commit": bug.commit,
        "types": bug.checked,
    }
    _write_json(
        folder / "case.json", {**_case(bug, bug.case_id, bug.planted), "clean": False, "planted": planted}
    )
    expected = {
        "file": mutant.path,
        "line": mutant.line,
        "end_line": mutant.end_line,
        "category": mutant.category.value,
        "description": mutant.description,
        "also": [],
    }
    _write_json(folder / "expected.json", [expected])


def _write_clean(folder: Path, bug: PlantedBug) -> None:
    folder.mkdir()
    _write_json(folder / "case.json", {**_case(bug, clean_id(bug.commit), bug.commit), "clean": True})
    _write_json(folder / "expected.json", [])


def _case(bug: PlantedBug, case_id: str, head: str) -> dict[str, Any]:
    return {
        "id": case_id,
        "repository": f"../{REPOSITORY}",
        "base": bug.parent,
        "head": head,
        "title": bug.title,
        "description": bug.description,
        "language": bug.language,
    }


def _write_json(place: Path, content: Any) -> None:
    place.write_text(
        json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", errors="replace"
    )
