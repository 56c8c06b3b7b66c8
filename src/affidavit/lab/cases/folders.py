"""Read labelled cases from their folders: `case.json`, `expected.json`, `known_wrong.json`."""

import hashlib
import json
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from affidavit.contract.finding_reader import parse_reproduction
from affidavit.errors import AffidavitError, GitError, InputError
from affidavit.git.command import Git, complaint
from affidavit.git.location import find_repository
from affidavit.lab.records import ExpectedProblem, KnownClaim, KnownPlace, LabelledCase
from affidavit.records.evidence import ReproductionOutcome
from affidavit.records.record import Record

CASE_FILE = "case.json"
EXPECTED_FILE = "expected.json"
KNOWN_WRONG_FILE = "known_wrong.json"
MAX_BYTES = 10_000_000
SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
LISTS = ("expected", "known_wrong")
"""Fields of a case that stand in files of their own."""
OUTCOMES = tuple(one for one in get_args(ReproductionOutcome) if one != "could_not_run")
"""What a case may say of its program; whether it can be run is a matter of the machine."""
WIDE_CATEGORIES = ("bug", "quality")
"""A verdict's words for several categories at once: the place decides alone."""
Kind = TypeVar("Kind", bound=Record)


@dataclass(frozen=True)
class CaseFolder:
    """A case and where it was read from; a repository's relative path begins there."""

    case: LabelledCase
    folder: Path


def read_cases(places: Sequence[Path]) -> list[CaseFolder]:
    """The cases in these folders, each a case or a folder of cases; raises InputError for what is neither."""
    found: dict[Path, CaseFolder] = {}
    for place in places:
        for folder in _case_folders(place):
            # The same folder may be named twice, by a pattern of the shell for instance.
            found.setdefault(folder.resolve(), read_case(folder))
    cases = list(found.values())
    twice = [name for name, count in Counter(one.case.id for one in cases).items() if count > 1]
    if twice:
        holders = ", ".join(str(one.folder) for one in cases if one.case.id == twice[0])
        raise InputError(f"the id {twice[0]!r} belongs to several cases: {holders}; give each its own")
    return cases


def folder_name(case_id: str) -> str:
    """A name for the case's folder, whatever its id holds; different ids have different names."""
    if SAFE_NAME.fullmatch(case_id):
        return case_id
    kept = re.sub(r"[^A-Za-z0-9_-]+", "-", case_id).strip("-")[:60]
    return f"{kept or 'case'}-{hashlib.sha256(case_id.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _case_folders(place: Path) -> list[Path]:
    if not place.is_dir():
        raise InputError(f"{place} is not a folder: name a case, or a folder of cases")
    if (place / CASE_FILE).is_file():
        return [place]
    try:
        folders = sorted(path.parent for path in place.glob(f"*/{CASE_FILE}") if path.is_file())
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror}") from error
    if not folders:
        raise InputError(f"{place} has no case: there is no {CASE_FILE} in it or in a folder of it")
    return folders


def read_case(folder: Path) -> CaseFolder:
    """One case; raises InputError that names the file and the field which is wrong."""
    where = folder / CASE_FILE
    fields = read_json(where)
    if not isinstance(fields, dict):
        raise InputError(f"{where}: expected an object with repository, base and head")
    expected = _read_claims(folder / EXPECTED_FILE, ExpectedProblem)
    known_wrong = _read_claims(folder / KNOWN_WRONG_FILE, KnownClaim)
    given = {name: value for name, value in fields.items() if name not in LISTS and value is not None}
    case = _valid(LabelledCase, {"id": folder.resolve().name, **given}, where)
    if expected is None and not case.clean:
        raise InputError(f'{where}: say "clean": true, or list the problems in {EXPECTED_FILE}')
    if "clean" not in given:
        case = case.model_copy(update={"clean": not expected})
    if case.clean and expected:
        raise InputError(f"{where}: the case is said to be clean, but {EXPECTED_FILE} lists problems")
    return CaseFolder(
        case.model_copy(update={"expected": expected or (), "known_wrong": known_wrong or ()}), folder
    )


def _read_claims(where: Path, kind: type[Kind]) -> tuple[Kind, ...] | None:
    """The claims of a list; None where there is no such file."""
    if not where.exists():
        return None
    listed = read_json(where)
    if not isinstance(listed, list):
        raise InputError(f"{where}: expected a list")
    return tuple(read_claim(item, kind, f"{where}: item {number}") for number, item in enumerate(listed, 1))


def read_claim(item: Any, kind: type[Kind], where: str) -> Kind:
    """One entry of a list of claims; fields that nobody here reads are passed over, as are missing ones."""
    if not isinstance(item, dict):
        raise InputError(f"{where}: expected an object with file and line")
    given = {name: value for name, value in item.items() if value is not None}
    if "also" in given and "also" in kind.model_fields:
        if not isinstance(given["also"], list):
            raise InputError(f"{where}: also: expected a list")
        given["also"] = tuple(read_claim(place, KnownPlace, f"{where}: also") for place in given["also"])
    if given.get("category") in WIDE_CATEGORIES:
        del given["category"]
    if "reproduction" in kind.model_fields:
        given |= _read_program(given, kind, where)
    claim = _valid(kind, given, where)
    if isinstance(claim, KnownPlace):
        _check_lines(claim, where)
    return claim


def _read_program(given: dict[str, Any], kind: type[Record], where: str) -> dict[str, Any]:
    """The program of a claim and what it comes to; what a reply may be forgiven, a case may not."""
    if "reproduction" not in given:
        if "outcome" in given:
            raise InputError(f"{where}: outcome: there is no reproduction that could come to it")
        return {}
    read = parse_reproduction(given["reproduction"], is_strict=True)
    if isinstance(read, str):
        raise InputError(f"{where}: reproduction: {read}")
    usual = "reproduced" if read.expected_at_base else "reproduced_new"
    outcome = given.get("outcome", usual if kind is ExpectedProblem else None)
    if outcome not in OUTCOMES:
        raise InputError(f"{where}: outcome: expected one of {', '.join(OUTCOMES)}, found {outcome!r}")
    return {"reproduction": read, "outcome": outcome}


def _check_lines(place: KnownPlace, where: str) -> None:
    if place.end_line is not None and place.end_line < place.line:
        raise InputError(f"{where}: end_line {place.end_line} comes before line {place.line}")


def _valid(kind: type[Kind], fields: dict[str, Any], where: Path | str) -> Kind:
    known = {name: value for name, value in fields.items() if name in kind.model_fields}
    try:
        return kind.model_validate(known)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        is_revision = first["type"] == "string_pattern_mismatch"
        what = "expected one commit, by hash, tag or branch" if is_revision else first["msg"].lower()
        raise InputError(f"{where}: {field}: {what}") from error


def read_json(where: Path) -> Any:
    """What the file holds; raises InputError where it cannot be read or is no JSON."""
    try:
        if where.stat().st_size > MAX_BYTES:
            raise InputError(f"{where} is larger than {MAX_BYTES // 1_000_000} MB")
        return json.loads(where.read_bytes())
    except OSError as error:
        raise InputError(f"{where} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not valid JSON: {error}") from error


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
