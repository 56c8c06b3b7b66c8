"""Run a search that a finding declares, and write down what it finds without secrets."""

from affidavit.errors import AffidavitError
from affidavit.ports import Repository
from affidavit.proof.redaction import redact_lines
from affidavit.records.evidence import SearchRun
from affidavit.records.finding import Search

MAX_HITS = 20


def run_search(search: Search, repository: Repository, where: str = "") -> SearchRun:
    """The search with what it found; one that cannot be run proves nothing.

    `where` says in words where it looks, if that is not what the finding declared.
    """
    try:
        hits = repository.side(search.side).search(search.pattern, search.paths, max_hits=MAX_HITS)
    except AffidavitError as error:
        what = where or f"search for {search.pattern!r}"
        return SearchRun(search=search, state="failed", detail=f"{what}: {error}")
    found = tuple(hit.model_copy(update={"text": redact_lines([hit.text])[0]}) for hit in hits)
    return SearchRun(search=search, state="hits" if hits else "nothing_found", hits=found, detail=where)
