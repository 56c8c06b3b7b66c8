"""Run a search that a finding declares: what holds secrets is searched without them."""

from affidavit.errors import AffidavitError
from affidavit.ports import Repository
from affidavit.records.evidence import SearchRun, SearchState
from affidavit.records.finding import Search

MAX_HITS = 20


def run_search(search: Search, repository: Repository, where: str = "") -> SearchRun:
    """The search with what it found; one that cannot be run proves nothing.

    `where` says in words where it looks, if that is not what the finding declared.
    """
    try:
        tree = repository.redacted.side(search.side)
        hits = tree.search(search.pattern, search.paths, max_hits=MAX_HITS)
    except AffidavitError as error:
        what = where or f"search for {search.pattern!r}"
        return SearchRun(search=search, state="failed", detail=f"{what}: {error}")
    state: SearchState = "hits" if hits else "nothing_found"
    return SearchRun(search=search, state=state, hits=tuple(hits), detail=where)
