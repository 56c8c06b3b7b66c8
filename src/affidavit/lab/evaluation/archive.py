"""Keep an evaluation in a folder while it runs, so that an interrupted one can go on."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from affidavit.config.settings import Settings
from affidavit.errors import InputError, StoreError
from affidavit.lab.cases.folders import folder_name
from affidavit.lab.records import Evaluation
from affidavit.records.change import Change
from affidavit.records.record import Record
from affidavit.records.report import Report
from affidavit.system.private_files import write_private_file

BEGUN_FILE = "begun.json"
EVALUATION_FILE = "evaluation.json"
MAX_BYTES = 500_000_000
WITHOUT_A_SAY = (
    "budget_usd",
    "budget_tokens",
    "prices_usd_per_million",
    "model_timeout_seconds",
    "fail_on",
    "sources",
)
"""Settings that change nothing in what a whole review says: who goes on may spend more."""


class Begun(Record):
    """What the reviews of an evaluation have in common; who goes on with it must use the same."""

    affidavit_version: str
    prompts: str
    """Version and digest: the same version with other words is another."""
    models: dict[str, str]


class Archive:
    """The folder of an evaluation: each review's native report, and at the end the scores."""

    def __init__(self, folder: Path, begun: Begun, *, is_resumed: bool) -> None:
        self.folder = folder
        place = folder / BEGUN_FILE
        if is_resumed:
            _check_same(place, begun)
        elif place.exists():
            raise InputError(
                f"{folder} already has an evaluation: continue with --resume, or name another --out"
            )
        else:
            _write(place, begun.model_dump_json(indent=1))

    def run_folder(self, case_id: str, number: int) -> Path:
        """Where the exchanges of one review are kept."""
        return self.folder / "cases" / folder_name(case_id) / f"run-{number}"

    def keep(self, case_id: str, number: int, report: Report) -> None:
        """Keep a review's report."""
        _write(self.run_folder(case_id, number) / "report.json", report.model_dump_json(indent=1))

    def find(self, case_id: str, number: int, change: Change, settings: Settings) -> Report | None:
        """The report of an earlier start, if it is of this very change under these settings, and whole."""
        place = self.run_folder(case_id, number) / "report.json"
        if not place.is_file():
            return None
        try:
            report = Report.model_validate_json(place.read_bytes())
        except (OSError, ValidationError):
            # Of another version, or broken: the case is reviewed again.
            return None
        is_same = _reviewed(report.change) == _reviewed(change) and _asked_for(report.settings) == _asked_for(
            settings.model_dump(mode="json")
        )
        return report if is_same and not report.incomplete else None

    def finish(self, evaluation: Evaluation) -> None:
        """Keep the scores."""
        _write(self.folder / EVALUATION_FILE, evaluation.model_dump_json(indent=1))


def _reviewed(change: Change) -> tuple[str, ...]:
    """What a reviewer gets to see of a change."""
    return change.base.tree, change.head.tree, change.title, change.description


def _asked_for(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if name not in WITHOUT_A_SAY}


def read_evaluation(place: Path) -> Evaluation:
    """An evaluation from its folder or from its JSON; raises InputError where it is none."""
    file = place / EVALUATION_FILE if place.is_dir() else place
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InputError(f"{file} is too large for an evaluation")
        return Evaluation.model_validate_json(file.read_bytes())
    except OSError as error:
        raise InputError(
            f"{file} cannot be read: {error.strerror}; name the --out folder of a finished evaluation, "
            "or a file that eval --format json=FILE wrote"
        ) from error
    except ValidationError as error:
        raise InputError(
            f"{file} is not an evaluation that this version can read: {_first(error)}"
        ) from error


def _check_same(place: Path, begun: Begun) -> None:
    try:
        kept = Begun.model_validate_json(place.read_bytes())
    except OSError as error:
        raise InputError(f"{place.parent} has no evaluation to continue: {error.strerror}") from error
    except ValidationError as error:
        raise InputError(f"{place} cannot be read: {_first(error)}") from error
    if kept != begun:
        options = json.dumps(kept.model_dump(), sort_keys=True)
        raise InputError(
            f"{place.parent} was started with other options, so its reviews cannot be joined with new ones: "
            f"{options}"
        )


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"


def _write(place: Path, text: str) -> None:
    """Whole or not at all, readable by the user alone: it quotes the reviewed code."""
    try:
        write_private_file(place, text)
    except OSError as error:
        raise StoreError(f"{place} cannot be written: {error.strerror}") from error
