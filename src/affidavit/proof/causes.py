"""Check that what an impact finding names as its cause is a part of the change."""

import re
from pathlib import PurePosixPath

from affidavit.ports import Repository
from affidavit.records.change import Change
from affidavit.records.finding import Finding
from affidavit.records.record import Side


def cause_problem(finding: Finding, change: Change, repository: Repository) -> str | None:
    """Why an impact finding does not hang together with the change, or None.

    Names are looked for in the files without secrets: no guess at one shows whether it is right.
    """
    cause = finding.verification.caused_by if finding.verification else None
    if not finding.is_impact or cause is None:
        return None
    if cause.file not in change.changed_files:
        return f"{cause.file}, named as the cause, is not part of the change"
    name = re.split(r"[.:]+", cause.symbol)[-1].strip("() ")
    if (
        not name
        or name == PurePosixPath(cause.file).stem
        or _is_named_in(cause.file, name, change, repository)
    ):
        return None
    return f"{cause.symbol}, named as the cause, does not stand in {cause.file}"


def _is_named_in(path: str, name: str, change: Change, repository: Repository) -> bool:
    """The name stands as a word in the changed file, at base or at head."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    sides: tuple[Side, ...] = ("base", "head")
    for file in change.files:
        if path in (file.base_path, file.head_path):
            for side in sides:
                lines = repository.side(side).redacted_lines(file.path_at(side) or path) or []
                if any(word.search(line) for line in lines):
                    return True
    return False
