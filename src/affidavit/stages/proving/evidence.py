"""Check every candidate's proof against the commit: its quote, the cause of an impact, its searches."""

from affidavit.ports import Case
from affidavit.proof.causes import cause_problem
from affidavit.proof.quoting.dependency_quotes import check_dependency
from affidavit.proof.quoting.quote_check import check_quote
from affidavit.proof.quoting.searches import run_search
from affidavit.records.candidate import Candidate, Status
from affidavit.records.diagnostics import Reason
from affidavit.records.docket import Docket, Outcome
from affidavit.records.evidence import QuoteOutcome, SearchRun, is_within
from affidavit.records.finding import Finding, Search

STAGE = "evidence"
NO_PACKAGES = "no sources of packages were read in this review"
WIDER = "the rest of the change, of which the specialist saw a part"

REASONS: dict[QuoteOutcome, Reason] = {
    "relocated": Reason.EVIDENCE_RELOCATED,
    "ambiguous": Reason.EVIDENCE_AMBIGUOUS,
    "not_found": Reason.EVIDENCE_NOT_FOUND,
}


def locate_quotes(docket: Docket, case: Case) -> Docket:
    """The quoted code is in the commit, and the finding speaks of where it is; else it is withheld."""

    def locate(candidate: Candidate, finding: Finding) -> Outcome:
        is_machine = candidate.kind == "mechanical"
        quote, anchored = check_quote(finding, case.repository, saw_secrets=is_machine)
        what = f"quote {quote.outcome}: {quote.detail}"
        located = candidate.then(STAGE, what, quote=quote, finding=anchored)
        notes = [located.note(REASONS[quote.outcome], quote.detail)] if quote.outcome in REASONS else []
        return (_disproved(located, quote.detail) if quote.outcome == "not_found" else located), notes

    return docket.each(locate)


def check_causes(docket: Docket, case: Case) -> Docket:
    """What an impact finding names as its cause is a part of the change; else it is withheld."""

    def check(candidate: Candidate, finding: Finding) -> Outcome:
        problem = cause_problem(finding, case.change, case.repository)
        if problem is None:
            return candidate, ()
        return _disproved(candidate, problem), [candidate.note(Reason.EVIDENCE_NOT_FOUND, problem)]

    return docket.each(check)


def check_dependencies(docket: Docket, case: Case) -> Docket:
    """What is quoted of packages stands there, or that is noted: it supports, and withholds nothing."""

    def check(candidate: Candidate, finding: Finding) -> Outcome:
        quotes = finding.verification.dependency_quotes if finding.verification else ()
        if not quotes:
            return candidate, ()
        checks = case.dependencies.check(candidate) if case.dependencies else ()
        checks = checks or tuple(check_dependency(one, NO_PACKAGES) for one in quotes)
        said = "; ".join(f"{one.package} {one.file} {one.outcome.replace('_', ' ')}" for one in checks)
        checked = candidate.then(STAGE, f"quotes of packages: {said}", dependency_quotes=checks)
        failed = [one for one in checks if one.is_refuted]
        return checked, [
            checked.note(Reason.EVIDENCE_NOT_FOUND, one.detail, "dependency_quotes") for one in failed
        ]

    return docket.each(check)


def run_searches(docket: Docket, case: Case) -> Docket:
    """What is said to be missing is searched for; what is found goes to the verifier, or disproves it."""

    def search(candidate: Candidate, finding: Finding) -> Outcome:
        if not _claims_absence(finding) or finding.verification is None:
            return candidate, ()
        runs = tuple(run_search(each, case.repository) for each in finding.verification.searches)
        searched = candidate.then(STAGE, f"{len(runs)} searches run again", searches=runs)
        failed = [run.detail for run in runs if run.state == "failed"]
        if not runs or failed:
            detail = "; ".join(failed) or "it says that something is missing and declares no search"
            note = searched.note(Reason.ABSENCE_NOT_SEARCHED, detail)
            return searched.withhold(STAGE, Reason.ABSENCE_NOT_SEARCHED, detail), [note]
        hits = [f"{hit.path}:{hit.line}" for run in runs for hit in run.hits]
        # A verifier is handed the hits together with the claim.
        if not hits or case.has_verifier:
            return searched, ()
        detail = "what is said to be missing was found at " + ", ".join(hits[:3])
        return _disproved(searched, detail, Reason.ABSENCE_DISPROVED), [
            searched.note(Reason.ABSENCE_DISPROVED, detail)
        ]

    return docket.each(search)


def search_whole_change(docket: Docket, case: Case) -> Docket:
    """The same searches in every changed file that they left out, where their finder saw only a part."""
    if case.plan is None or len(case.plan.chunks) < 2:
        return docket

    def search(candidate: Candidate, finding: Finding) -> Outcome:
        if candidate.kind == "mechanical" or not _claims_absence(finding):
            return candidate, ()
        # A search without paths has seen everything.
        declared = [run.search for run in candidate.searches if run.search.paths]
        more = [run for one in declared if (run := _search_elsewhere(one, case))]
        if not more:
            return candidate, ()
        what = f"searched in the rest of the change: {sum(len(run.hits) for run in more)} hits"
        return candidate.then(STAGE, what, searches=(*candidate.searches, *more)), ()

    return docket.each(search)


def _search_elsewhere(search: Search, case: Case) -> SearchRun | None:
    shown = case.repository.redacted.shown_name
    changed = [path for file in case.change.files if (path := file.path_at(search.side))]
    others = [
        path for path in map(shown, changed) if not any(is_within(path, place) for place in search.paths)
    ]
    wider = search.model_copy(update={"paths": tuple(others)})
    return run_search(wider, case.repository, WIDER) if others else None


def _claims_absence(finding: Finding) -> bool:
    return finding.verification is not None and finding.verification.is_absence_finding


def _disproved(candidate: Candidate, detail: str, code: Reason = Reason.EVIDENCE_NOT_FOUND) -> Candidate:
    return candidate.withhold(STAGE, code, detail, status=Status.FALSE_POSITIVE)
