"""Search the code for the cause that a finding names, and for what it says is missing."""

import re
from pathlib import PurePosixPath

from affidavit.errors import AffidavitError
from affidavit.ports import Repository
from affidavit.records.change import Change
from affidavit.records.evidence import SearchRun, SearchState
from affidavit.records.finding import Search, Verification
from affidavit.records.record import Side

MAX_HITS = 20


def cause_problem(evidence: Verification, change: Change, repository: Repository) -> str | None:
    """Say why the cause that an impact finding names is not in the change; None if it is.

    Names are looked for in redacted files, so that nobody can guess a secret by naming it.
    """
    cause = evidence.caused_by
    if not evidence.is_impact_finding or cause is None:
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
    return f"{cause.symbol}, named as the cause, does not occur in {cause.file}"


def _is_named_in(path: str, name: str, change: Change, repository: Repository) -> bool:
    """Check for the name as a word in the changed file, at base or at head."""
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    sides: tuple[Side, ...] = ("base", "head")
    return any(
        word.search(line)
        for file in change.files
        if path in (file.base_path, file.head_path)
        for side in sides
        for line in repository.side(side).redacted_lines(file.path_at(side) or path) or ()
    )


def run_search(search: Search, repository: Repository, where: str = "") -> SearchRun:
    """Run a search again; one that cannot be run proves nothing.

    `where` names the place of a search that the finding did not declare itself.
    """
    try:
        tree = repository.redacted.side(search.side)
        hits = tree.search(search.pattern, search.paths, max_hits=MAX_HITS)
    except AffidavitError as error:
        what = where or f"search for {search.pattern!r}"
        return SearchRun(search=search, state="failed", detail=f"{what}: {error}")
    state: SearchState = "hits" if hits else "nothing_found"
    return SearchRun(search=search, state=state, hits=tuple(hits), detail=where)
