"""Make case folders out of a list of labelled commits and local clones of their repositories."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from affidavit.errors import AffidavitError, GitError, InputError
from affidavit.git.command import Git, complaint
from affidavit.git.confined.location import find_repository
from affidavit.lab.cases.folders import (
    CASE_FILE,
    EXPECTED_FILE,
    KNOWN_WRONG_FILE,
    MAX_BYTES,
    folder_name,
    read_case,
)

REPOSITORY_FORMS = ("{owner}+{name}/repo", "{owner}+{name}", "{owner}/{name}", "{name}")
"""Where a clone of OWNER/NAME may stand under the folder of clones; each also with `.git` at its end."""


@dataclass(frozen=True)
class Imported:
    """What became of a list: the folders written, and case to reason where none was."""

    written: tuple[Path, ...]
    left_out: dict[str, str]


def import_cases(listing: Path, clones: Path, out: Path, *, replaces: bool = False) -> Imported:
    """Write a folder for each case of the list; raises InputError where the list itself cannot be used."""
    if not clones.is_dir():
        raise InputError(f"{clones} is not a folder: name the folder of the clones with --clones")
    entries = _read_list(listing)
    taken = [name for name in map(_name_of, entries) if (out / name).exists()]
    if taken and not replaces:
        raise InputError(
            f"{out / taken[0]} exists already: name another --out, or give --force to replace it"
        )
    written: list[Path] = []
    left_out: dict[str, str] = {}
    for entry in entries:
        try:
            written.append(_write_case(entry, clones, out / _name_of(entry)))
        except AffidavitError as error:
            left_out[str(entry["id"])] = str(error)
    return Imported(tuple(written), left_out)


def find_clone(clones: Path, repository: str) -> Path:
    """The clone of OWNER/NAME (or of a name alone); raises InputError that says where it was looked for."""
    owner, _, name = repository.removesuffix(".git").rpartition("/")
    owner = owner.rpartition("/")[2]
    if not name or ".." in (owner, name):
        raise InputError(f"{repository!r} is not the name of a repository: write OWNER/NAME")
    forms = REPOSITORY_FORMS if owner else REPOSITORY_FORMS[-1:]
    tried = [clones / form.format(owner=owner, name=name) for form in forms]
    for place in [each for one in tried for each in (one, one.with_name(one.name + ".git"))]:
        if place.is_dir() and _is_repository(place):
            return place.resolve()
    raise InputError(f"there is no clone of {repository}: looked for {', '.join(map(str, tried))}")


def _is_repository(place: Path) -> bool:
    try:
        location = find_repository(place)
    except AffidavitError:
        return False
    return place.resolve() in {one.resolve() for one in (location.work_tree, location.git_dir) if one}


def _read_list(listing: Path) -> list[dict[str, Any]]:
    try:
        if listing.stat().st_size > MAX_BYTES:
            raise InputError(f"{listing} is larger than {MAX_BYTES // 1_000_000} MB")
        given = json.loads(listing.read_bytes())
    except OSError as error:
        raise InputError(f"{listing} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{listing} is not valid JSON: {error}") from error
    entries = given.get("cases") if isinstance(given, dict) else given
    if not isinstance(entries, list) or not entries:
        raise InputError(f'{listing}: expected a list of cases, or an object with the list "cases"')
    numbers: dict[str, int] = {}
    for number, entry in enumerate(entries, 1):
        _check_entry(entry, f"{listing}: case {number}")
        if numbers.setdefault(entry["id"], number) != number:
            # The later one would replace the earlier one, and nobody would see it.
            first = numbers[entry["id"]]
            raise InputError(f"{listing}: case {number}: the id {entry['id']!r} is that of case {first} too")
    return entries


def _check_entry(entry: Any, where: str) -> None:
    if not isinstance(entry, dict):
        raise InputError(f"{where}: expected an object")
    for name in ("id", "repository", "base", "head"):
        if not isinstance(entry.get(name), str) or not entry[name].strip():
            raise InputError(f"{where}: {name}: expected text")


def _name_of(entry: dict[str, Any]) -> str:
    return folder_name(entry["id"])


def _write_case(entry: dict[str, Any], clones: Path, folder: Path) -> Path:
    """Write the folder and read it back: what `affidavit eval` would refuse is not left lying there."""
    clone = find_clone(clones, entry["repository"])
    git = Git(clone)
    for side in ("base", "head"):
        _check_commit(git, clone, entry[side])
    subject, body = _message(git, entry["head"])
    given = {name: value for name, value in entry.items() if name not in ("expected", "known_wrong")}
    case = {"title": subject, "description": body, **given, "repository": str(clone)}
    fresh = folder.with_name(f".{folder.name}.importing")
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        fresh.mkdir(parents=True)
        _write_json(fresh / CASE_FILE, case)
        # Who says nothing of problems does not say that there are none.
        if entry.get("expected") is not None:
            _write_json(fresh / EXPECTED_FILE, entry["expected"])
        if entry.get("known_wrong"):
            _write_json(fresh / KNOWN_WRONG_FILE, entry["known_wrong"])
        read_case(fresh)
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror}") from error
    except InputError as error:
        # The folder is gone when this is read; the file in it is the field of the list.
        raise InputError(str(error).replace(f"{fresh}/", "")) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return folder


def _check_commit(git: Git, clone: Path, revision: str) -> None:
    done = git.attempt("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if done.returncode != 0:
        raise InputError(
            f"the clone {clone} lacks the commit {revision[:40]}: fetch it there and import again"
        )


def _message(git: Git, revision: str) -> tuple[str, str]:
    done = git.attempt(
        "log", "-1", "--no-color", "--encoding=UTF-8", "--format=%s%n%b", "--end-of-options", revision
    )
    if done.returncode != 0:
        raise GitError(f"the message of {revision[:40]} cannot be read: {complaint(done.stderr)}")
    subject, _, body = done.stdout.decode("utf-8", "replace").partition("\n")
    return subject.strip(), body.strip()


def _write_json(place: Path, content: dict[str, Any] | Sequence[Any]) -> None:
    place.write_text(
        json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", errors="replace"
    )
