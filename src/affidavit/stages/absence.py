"""Look for what is said to be missing in the whole change, where whoever said so saw only a part of it."""

from collections.abc import Sequence

from affidavit.ports import Repository
from affidavit.proof.searches import run_search
from affidavit.records.candidate import Candidate
from affidavit.records.change import Change
from affidavit.records.evidence import SearchRun
from affidavit.records.finding import Search
from affidavit.records.plan import Plan
from affidavit.records.reading import is_within

STAGE = "absence"
DETAIL = "the rest of the change, of which the specialist saw a part"


def search_whole_change(
    candidates: Sequence[Candidate], plan: Plan | None, change: Change, repository: Repository
) -> list[Candidate]:
    """The same searches in every changed file that they left out; what they find goes to the verifier."""
    if plan is None or len(plan.chunks) < 2:
        return list(candidates)
    return [
        _searched(candidate, change, repository) if _claims_absence(candidate) else candidate
        for candidate in candidates
    ]


def _claims_absence(candidate: Candidate) -> bool:
    evidence = candidate.finding.verification if candidate.finding else None
    is_open = candidate.kind == "model" and candidate.withheld is None
    return is_open and evidence is not None and evidence.is_absence_finding


def _searched(candidate: Candidate, change: Change, repository: Repository) -> Candidate:
    more = [
        run
        for declared in candidate.searches
        # A search without paths has seen everything.
        if declared.search.paths and (run := _elsewhere(declared.search, change, repository))
    ]
    if not more:
        return candidate
    found = sum(len(run.hits) for run in more)
    return candidate.then(
        STAGE,
        f"searched in the rest of the change: {found} hits",
        searches=(*candidate.searches, *more),
    )


def _elsewhere(search: Search, change: Change, repository: Repository) -> SearchRun | None:
    others = [
        path
        for file in change.files
        if (path := file.path_at(search.side)) and not any(is_within(path, place) for place in search.paths)
    ]
    if not others:
        return None
    wider = search.model_copy(update={"paths": tuple(others)})
    return run_search(wider, repository, DETAIL)
