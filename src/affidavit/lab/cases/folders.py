"""Read labelled cases from their folders: `case.json`, `expected.json`, `known_wrong.json`."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from affidavit.contract.finding_reader import parse_reproduction
from affidavit.errors import InputError
from affidavit.lab.records import ExpectedProblem, KnownClaim, KnownPlace, LabelledCase
from affidavit.records.evidence import ReproductionOutcome
from affidavit.records.record import Record

CASE_FILE = "case.json"
EXPECTED_FILE = "expected.json"
KNOWN_WRONG_FILE = "known_wrong.json"
MAX_BYTES = 10_000_000
SAFE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
LISTS = ("expected", "known_wrong")
"""Fields of a case that have files of their own."""
OUTCOMES = tuple(one for one in get_args(ReproductionOutcome) if one != "could_not_run")
"""Outcomes that a case may declare for its program."""
WIDE_CATEGORIES = ("bug", "quality")
"""Words of verdicts that cover several categories: only the place is compared."""
Kind = TypeVar("Kind", bound=Record)


@dataclass(frozen=True)
class CaseFolder:
    """A case, and its folder: a relative path of its repository starts there."""

    case: LabelledCase
    folder: Path


def read_cases(places: Sequence[Path]) -> list[CaseFolder]:
    """Return the cases in these folders, each a case or a folder of cases; raise InputError for others."""
    found: dict[Path, CaseFolder] = {}
    for place in places:
        for folder in _case_folders(place):
            # The same folder may be named twice, for instance by a pattern of the shell.
            found.setdefault(folder.resolve(), read_case(folder))
    cases = list(found.values())
    twice = [name for name, count in Counter(one.case.id for one in cases).items() if count > 1]
    if twice:
        holders = ", ".join(str(one.folder) for one in cases if one.case.id == twice[0])
        raise InputError(f"the id {twice[0]!r} belongs to several cases: {holders}; give each its own")
    return cases


def folder_name(case_id: str) -> str:
    """Return a safe and unique name for the folder of a case."""
    if SAFE_NAME.fullmatch(case_id):
        return case_id
    kept = re.sub(r"[^A-Za-z0-9_-]+", "-", case_id).strip("-")[:60]
    return f"{kept or 'case'}-{hashlib.sha256(case_id.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _case_folders(place: Path) -> list[Path]:
    if not place.is_dir():
        raise InputError(f"{place} is not a folder; pass a case, or a folder of cases")
    if (place / CASE_FILE).is_file():
        return [place]
    try:
        folders = sorted(path.parent for path in place.glob(f"*/{CASE_FILE}") if path.is_file())
    except OSError as error:
        raise InputError(f"{place} cannot be read: {error.strerror}") from error
    if not folders:
        raise InputError(f"{place} has no cases: neither it nor a folder in it has a {CASE_FILE}")
    return folders


def read_case(folder: Path) -> CaseFolder:
    """Read one case; raise InputError that names the invalid file and field."""
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
        raise InputError(f"{where}: the case is marked clean, but {EXPECTED_FILE} lists problems")
    return CaseFolder(
        case.model_copy(update={"expected": expected or (), "known_wrong": known_wrong or ()}), folder
    )


def _read_claims(where: Path, kind: type[Kind]) -> tuple[Kind, ...] | None:
    """Return the claims of a list; None if there is no such file."""
    if not where.exists():
        return None
    listed = read_json(where)
    if not isinstance(listed, list):
        raise InputError(f"{where}: expected a list")
    return tuple(read_claim(item, kind, f"{where}: item {number}") for number, item in enumerate(listed, 1))


def read_claim(item: Any, kind: type[Kind], where: str) -> Kind:
    """Read one entry of a list of claims; unknown and null fields are ignored."""
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
    """Read the program of a claim and its outcome; raise InputError even for what is tolerated in a reply."""
    if "reproduction" not in given:
        if "outcome" in given:
            raise InputError(f"{where}: outcome: there is no reproduction that could have it")
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
    """Read a JSON file; raise InputError if it cannot be read."""
    try:
        if where.stat().st_size > MAX_BYTES:
            raise InputError(f"{where} is larger than {MAX_BYTES // 1_000_000} MB")
        return json.loads(where.read_bytes())
    except OSError as error:
        raise InputError(f"{where} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not valid JSON: {error}") from error
