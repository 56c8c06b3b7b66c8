"""Read planted claims: findings about a case, each with the judgement that is right."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from affidavit.contract.parser import parse_reply
from affidavit.contract.versions import NO_PROMPT_VERSION
from affidavit.errors import InputError
from affidavit.lab.cases.folders import CASE_FILE, CaseFolder, read_case, read_json
from affidavit.lab.records import ClaimKind, PlantedClaim
from affidavit.records.candidate import Worth
from affidavit.records.finding import Finding
from affidavit.records.record import Side, first_mistake

FILE_FIELDS = ("case", "claims")
CLAIM_SCHEMA_VERSION = "1.3"
"""The version of the contract by which the findings are read, whatever models are asked for."""
PLACE = re.compile(r"(?<![\w./-])(?=[\w./-]*[A-Za-z])([\w./-]*\w):([1-9]\d*)\b( at base\b)?")
"""A file and a line; the file has a letter, so that a time of day does not match."""


@dataclass(frozen=True)
class CaseClaims:
    """The claims of one file, and the case that they are about."""

    ground: CaseFolder
    claims: tuple[PlantedClaim, ...]


@dataclass(frozen=True)
class FactPlace:
    """A line that the reason of a claim points at."""

    file: str
    line: int
    side: Side


def load_claims(folder: Path) -> list[CaseClaims]:
    """Return the claims of every `*.json` in the folder; raise InputError if one is invalid."""
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder; pass one with files of planted claims")
    files = sorted(path for path in folder.glob("*.json") if path.is_file())
    if not files:
        raise InputError(f"{folder} has no planted claims: put at least one file NAME.json into it")
    loaded = [_load_file(where) for where in files]
    _refuse_repeated_ids(files, loaded)
    return loaded


def fact_places(why: str) -> list[FactPlace]:
    """Return the places that a reason names, in order."""
    return [
        FactPlace(found[1], int(found[2]), "base" if found[3] else "head") for found in PLACE.finditer(why)
    ]


def _load_file(where: Path) -> CaseClaims:
    content = read_json(where)
    if not isinstance(content, dict) or sorted(content) != sorted(FILE_FIELDS):
        raise InputError(f"{where}: expected an object with {' and '.join(FILE_FIELDS)}, and nothing else")
    listed = content["claims"]
    if not isinstance(listed, list) or not listed:
        raise InputError(f"{where}: claims: expected a list with at least one claim")
    ground = _ground(content["case"], where)
    return CaseClaims(
        ground, tuple(_claim(item, f"{where}: claim {number}") for number, item in enumerate(listed, 1))
    )


def _ground(named: Any, where: Path) -> CaseFolder:
    if not isinstance(named, str) or not (where.parent / named / CASE_FILE).is_file():
        raise InputError(
            f"{where}: case: {named!r} is not a folder with a {CASE_FILE}; name it relative to this file"
        )
    return read_case(where.parent / named)


def _claim(item: Any, where: str) -> PlantedClaim:
    if not isinstance(item, dict):
        raise InputError(f"{where}: expected an object with kind, judgement, why and finding")
    finding = _finding(item.get("finding"), f"{where}: finding")
    try:
        claim = PlantedClaim.model_validate({**item, "finding": finding})
    except ValidationError as error:
        raise InputError(f"{where}: {first_mistake(error).lower()}") from error
    problem = _contradiction(claim)
    if problem:
        raise InputError(f"{where} ({claim.id}): {problem}")
    return claim


def _finding(value: Any, where: str) -> Finding:
    """Read the finding by the contract; raise InputError even for what is tolerated in a reply."""
    reply = {
        "schema_version": CLAIM_SCHEMA_VERSION,
        "prompt_version": NO_PROMPT_VERSION,
        "findings": [value],
    }
    parsed = parse_reply(json.dumps(reply), schema_version=CLAIM_SCHEMA_VERSION)
    if parsed.diagnostics:
        noted = parsed.diagnostics[0]
        field = f": {noted.field}" if noted.field else ""
        expected = f"; expected {noted.expected}" if noted.expected else ""
        raise InputError(f"{where}{field}: {noted.code}: {noted.detail}{expected}")
    if parsed.result is None or len(parsed.result.findings) != 1:
        raise InputError(f"{where}: expected one finding of schema {CLAIM_SCHEMA_VERSION}")
    return parsed.result.findings[0]


def _contradiction(claim: PlantedClaim) -> str | None:
    """Return the contradiction within a claim and how to fix it, or None."""
    if not fact_places(claim.why):
        return "why names no place: write the deciding fact with its file:line"
    if claim.kind is ClaimKind.WRONG:
        return _contradiction_of_wrong(claim)
    if claim.judgement != "CONFIRMED":
        return f"a {claim.kind} claim is CONFIRMED: change judgement or kind"
    if claim.trap is not None:
        return f"trap is for wrong claims only: take it out of this {claim.kind} one"
    if claim.kind is ClaimKind.TRUE and Worth.ACT not in claim.worth:
        return "a true claim is worth acting on: add act to worth, or call it trivial"
    if claim.kind is ClaimKind.TRIVIAL and (Worth.ACT in claim.worth or Worth.NIT not in claim.worth):
        return "a trivial claim is a nit: list nit in worth, maybe beside it at most"
    return None


def _contradiction_of_wrong(claim: PlantedClaim) -> str | None:
    if claim.judgement != "REFUTED":
        return "a wrong claim is REFUTED: change judgement or kind"
    if claim.trap is None:
        return "a wrong claim names its trap: say what makes it look right"
    if claim.worth:
        return "the worth of a wrong claim means nothing: take worth out"
    return None


def _refuse_repeated_ids(files: list[Path], loaded: list[CaseClaims]) -> None:
    holders: dict[str, Path] = {}
    for where, one in zip(files, loaded, strict=True):
        for claim in one.claims:
            if claim.id in holders:
                raise InputError(
                    f"{where}: the id {claim.id!r} belongs to another claim, in {holders[claim.id]}:"
                    " give each its own"
                )
            holders[claim.id] = where
